package dev.sluice.outbox.spring;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.PropertyResolver;

/**
 * Writes application events with {@link OutboxEvent} to the outbox, on the thread and in the transaction of whoever publishes
 * them: what cannot be written fails there.
 */
final class AnnotatedEvents implements GenericApplicationListener {
    private final Supplier<OutboxPublisher> publisher;
    private final PropertyResolver placeholders;
    private final Map<Class<?>, EventTemplate> templates = new ConcurrentHashMap<>();

    /** @param publisher asked for with the first event: listeners are made before most other beans */
    AnnotatedEvents(Supplier<OutboxPublisher> publisher, PropertyResolver placeholders) {
        this.publisher = publisher;
        this.placeholders = placeholders;
    }

    /** Spring asks once per class of event. */
    @Override
    public boolean supportsEventType(ResolvableType type) {
        Class<?> event = type.toClass();
        if (PayloadApplicationEvent.class.isAssignableFrom(event)) {
            event = type.as(PayloadApplicationEvent.class).getGeneric().toClass();
        }
        return AnnotatedElementUtils.hasAnnotation(event, OutboxEvent.class);
    }

    @Override
    public void onApplicationEvent(ApplicationEvent published) {
        Object event = published instanceof PayloadApplicationEvent<?> wrapped ? wrapped.getPayload() : published;
        @Nullable EventTemplate known = templates.get(event.getClass());
        EventTemplate template = known == null ? templates.computeIfAbsent(event.getClass(), this::template) : known;
        OutboxPublisher outbox = publisher.get();
        outbox.publish(
                outbox.json(template.topic(), template.keyOf(event), template.type(), event, template.priority()));
    }

    private EventTemplate template(Class<?> event) {
        OutboxEvent annotation = AnnotatedElementUtils.findMergedAnnotation(event, OutboxEvent.class);
        if (annotation == null) {
            throw new IllegalStateException(event + " was taken for an @OutboxEvent");
        }
        return EventTemplate.of(event, annotation, placeholders);
    }

    /** Another thread would be in no transaction. */
    @Override
    public boolean supportsAsyncExecution() {
        return false;
    }
}

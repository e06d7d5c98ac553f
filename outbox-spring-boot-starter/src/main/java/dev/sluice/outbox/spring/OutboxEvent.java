package dev.sluice.outbox.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On the class of an application event: publishing one through {@code ApplicationEventPublisher} inside a transaction also
 * writes it to the outbox, as JSON by the application's own Jackson. It is sent if and only if that transaction commits.
 *
 * <pre>{@code
 * @OutboxEvent(topic = "orders", key = "orderId")
 * public record OrderPlaced(String orderId, int total) {}
 * }</pre>
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface OutboxEvent {
    /** Where to, such as a Kafka topic; placeholders such as {@code ${shop.topic}} are resolved. */
    String topic();

    /**
     * What is kept in order: a property of the event, or any SpEL expression with the event as its root, such as
     * {@code order.customer + ':' + order.id}.
     */
    String key();

    /** What happened, for the receiver; the class's simple name by default. */
    String type() default "";

    /** 0 to 9. Above 0: keys that have such messages go first; messages of one key never overtake each other. */
    int priority() default 0;
}

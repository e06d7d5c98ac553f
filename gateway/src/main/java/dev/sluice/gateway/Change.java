package dev.sluice.gateway;

import dev.sluice.deliver.EventType;
import dev.sluice.model.Fnv1a64;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A change without its recipient. A batch that delivers one change to many subscriptions has one object for all of them, so
 * that its hash and its JSON are computed once. Any thread may call.
 */
final class Change {
    /** The members, as {@link ReceivedEvent} documents them. */
    record Content(
            EventType type,
            String eventId,
            String tenant,
            String collection,
            String documentId,
            Optional<String> document,
            Optional<String> updateDescription,
            long timestamp,
            boolean lookup) {}

    private final Content content;
    private final long mark;
    private volatile @Nullable Object derived;

    Change(Content content) {
        this.content = content;
        this.mark = Fnv1a64.add(Fnv1a64.hash(content.eventId), content.type.ordinal());
    }

    Content content() {
        return content;
    }

    /** A hash of the event id and the type, by which {@link Repeats} remembers this change. */
    long mark() {
        return mark;
    }

    /** Returns the object of this class that was made of this change before, or makes it. Two threads may make one each. */
    <T> T derived(Class<T> kind, Supplier<T> maker) {
        Object known = derived;
        if (known != null && kind.isInstance(known)) {
            return kind.cast(known);
        }
        T made = maker.get();
        derived = made;
        return made;
    }
}

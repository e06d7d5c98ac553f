package dev.sluice.route;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.Subscription;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Where young subscriptions begin, as long as something may be read again from before: they registered, moved to another
 * gateway or began in the past at a position that their class, or what is saved of it, has not passed. Whatever is at or
 * before it is not for them: their gateway may have had what came later, and would take the older for news. Guarded by its
 * partition's lock.
 */
final class Births {
    /** So many newcomers are remembered; one beyond that may be given, after a crash, what was there before it. */
    private static final int MOST_NEWCOMERS = 10_000;

    private final Map<String, Birth> births = new LinkedHashMap<>();
    /** Nobody begins behind it. */
    private Positions latest = Positions.nowhere();

    private @Nullable Positions now;
    private boolean unsaved;

    /**
     * @param key the class that serves it
     * @param asked it asked for its start, and the registry would begin there again
     */
    record Birth(SavedPosition.LaneKey key, Positions at, boolean asked) {}

    /** It begins with what follows the head. */
    void newcomer(Subscription subscription, Positions head) {
        if (births.size() < MOST_NEWCOMERS) {
            Positions at = now == null ? head.copy() : now;
            now = at;
            put(subscription, at);
        }
    }

    void put(Subscription subscription, Positions at) {
        if (births.isEmpty()) {
            latest = Positions.nowhere();
        }
        births.put(
                subscription.id(),
                new Birth(
                        SavedPosition.LaneKey.of(subscription),
                        at,
                        subscription.from().isPresent()));
        latest.raise(at);
        unsaved = true;
    }

    /** It is of another class, and begins where it did. */
    void changed(Subscription subscription) {
        Birth birth = births.get(subscription.id());
        if (birth != null) {
            put(subscription, birth.at);
        }
    }

    void headMoved() {
        now = null;
    }

    /** The registry has forgotten where it asked to begin. */
    void started(String subscriptionId) {
        births.computeIfPresent(subscriptionId, (id, birth) -> new Birth(birth.key, birth.at, false));
    }

    void forget(String subscriptionId) {
        births.remove(subscriptionId);
    }

    boolean isBefore(String subscriptionId, ChangeEvent event) {
        Birth birth = births.isEmpty() ? null : births.get(subscriptionId);
        return birth != null && birth.at.covers(event);
    }

    /** Whether the event is for some of this owner and not for others, because they are younger. */
    boolean isBeforeSome(Recipient owner, ChangeEvent event) {
        return !births.isEmpty()
                && latest.mayCover(event)
                && births.values().stream()
                        .anyMatch(birth -> birth.key.owner().equals(owner) && birth.at.covers(event));
    }

    /** The position, or its birth where that is later. */
    Positions notBefore(String subscriptionId, Positions at) {
        Birth birth = births.get(subscriptionId);
        if (birth == null) {
            return at;
        }
        Positions later = at.copy();
        later.raise(birth.at);
        return later;
    }

    void each(BiConsumer<String, Birth> action) {
        new LinkedHashMap<>(births).forEach(action);
    }

    /** Whether somebody was born since this was last asked. */
    boolean takeUnsaved() {
        boolean before = unsaved;
        unsaved = false;
        return before;
    }
}

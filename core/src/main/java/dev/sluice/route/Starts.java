package dev.sluice.route;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of one partition that begin in the past. Many that come together share one progress and are read once,
 * from the earliest; each is given what is behind its own start. Until such a progress has come to the head, and is past
 * what it was given on the way, nobody else serves them. Guarded by its partition's lock.
 */
final class Starts {
    private final Map<String, LaneProgress> byId = new HashMap<>();
    private final List<LaneProgress> open = new ArrayList<>();

    /** Those that began in the past, and go to everybody from there. */
    private final List<String> atOnce = new ArrayList<>();

    /** The number of the last start of each subscription that began in the past since this owner has the partition. */
    private final Map<String, Long> numbers = new HashMap<>();

    private long lastNumber;

    /** The subscription is to be given again what it may have had. */
    void number(String subscriptionId) {
        numbers.put(subscriptionId, ++lastNumber);
    }

    /** The number of its last start; 0 for one that began at the head. */
    long numberOf(String subscriptionId) {
        return numbers.isEmpty() ? 0 : numbers.getOrDefault(subscriptionId, 0L);
    }

    void ended(String subscriptionId) {
        forget(subscriptionId);
        numbers.remove(subscriptionId);
    }

    /**
     * Returns a progress that is new, or null when it joined one that has not begun to read.
     *
     * @param after the class it leaves; null: what it was given before is of no account
     */
    @Nullable
    LaneProgress begin(Subscription subscription, Positions at, @Nullable LaneProgress after, Instant now) {
        forget(subscription.id());
        Priority priority = subscription.priority();
        Recipient owner = Router.owner(subscription);
        for (LaneProgress each : open) {
            CatchUp reading = each.catchUp;
            Positions behind = each.behind();
            if (each.owner.equals(owner)
                    && each.priority == priority
                    && each.starting != null
                    && each.after == after
                    && behind != null
                    && reading != null
                    && !reading.hasBegun()) {
                each.starting.put(subscription.id(), at);
                behind.lower(at);
                byId.put(subscription.id(), each);
                return null;
            }
        }
        Map<String, Positions> starting = new LinkedHashMap<>();
        starting.put(subscription.id(), at);
        LaneProgress fresh = new LaneProgress(owner, priority, starting);
        fresh.fallBehind(at, now);
        fresh.after = after;
        open.add(fresh);
        byId.put(subscription.id(), fresh);
        return fresh;
    }

    /** Somebody else gives it nothing of the event. */
    boolean serves(String subscriptionId, ChangeEvent event) {
        LaneProgress progress = byId.isEmpty() ? null : byId.get(subscriptionId);
        return progress != null && (progress.isBehind() || progress.has(event));
    }

    /** Somebody else than their class gives the event to some of this owner. */
    boolean serveSome(Recipient owner, ChangeEvent event) {
        return !byId.isEmpty()
                && byId.values().stream()
                        .anyMatch(each -> each.owner.equals(owner) && (each.isBehind() || each.has(event)));
    }

    @Nullable
    LaneProgress of(String subscriptionId) {
        return byId.get(subscriptionId);
    }

    void forget(String subscriptionId) {
        LaneProgress progress = byId.remove(subscriptionId);
        if (progress != null && progress.starting != null && open.contains(progress)) {
            progress.starting.remove(subscriptionId);
        }
    }

    /** It is past what it was given, and all of that is done: it is like all others of its class. */
    void tidy(String subscriptionId) {
        LaneProgress progress = byId.isEmpty() ? null : byId.get(subscriptionId);
        if (progress != null && !open.contains(progress)) {
            byId.remove(subscriptionId);
        }
    }

    void drop(LaneProgress progress) {
        open.remove(progress);
        byId.values().removeIf(each -> each == progress);
    }

    void each(Consumer<LaneProgress> action) {
        open.forEach(action);
    }

    List<LaneProgress> all() {
        return List.copyOf(open);
    }

    /** Others serve it from where it begins. */
    void startedAtOnce(String subscriptionId) {
        atOnce.add(subscriptionId);
    }

    /**
     * Those that are at the head and have nothing on its way, each once. What they had on the way there is still known.
     */
    List<String> takeStarted() {
        List<String> started = new ArrayList<>(atOnce);
        atOnce.clear();
        List<LaneProgress> finished = open.stream()
                .filter(each -> !each.isBehind() && each.unacknowledged() == 0)
                .toList();
        open.removeAll(finished);
        for (LaneProgress each : finished) {
            if (each.starting != null) {
                started.addAll(each.starting.keySet());
            }
        }
        return started;
    }
}

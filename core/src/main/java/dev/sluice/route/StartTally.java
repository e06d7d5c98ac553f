package dev.sluice.route;

import dev.sluice.model.Subscription;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The subscriptions that asked to begin in the past, and the partitions in which they are past that, saved or not. When all
 * partitions are among them the registry is to be told, so that a restart does not begin there again. Any thread may call.
 */
final class StartTally {
    private final Map<String, Start> beginning = new LinkedHashMap<>();

    /** By partition: its position does not say so yet. */
    private final Map<Integer, Set<String>> unsaved = new HashMap<>();

    private long begun;

    /**
     * @param number of the starts, counted in their order
     * @param past the partitions where it is past its start, and that is saved
     */
    private record Start(Subscription subscription, long number, Set<Integer> past) {}

    StartTally(KnownSubscriptions known) {
        for (String gateway : known.gatewayIds()) {
            for (Subscription each : known.ofGateway(gateway)) {
                if (each.from().isPresent()) {
                    begins(each);
                }
            }
        }
    }

    synchronized List<Subscription> beginning() {
        return beginning.values().stream().map(Start::subscription).toList();
    }

    synchronized void begins(Subscription subscription) {
        ended(subscription.id());
        beginning.put(subscription.id(), new Start(subscription, ++begun, new HashSet<>()));
    }

    /** It begins where it did, and is otherwise another: whether it goes on or begins again there. */
    synchronized void changed(Subscription subscription, boolean again) {
        Start start = beginning.get(subscription.id());
        if (start != null && again) {
            begins(subscription);
        } else if (start != null) {
            beginning.put(subscription.id(), new Start(subscription, start.number, start.past));
        }
    }

    synchronized void ended(String subscriptionId) {
        beginning.remove(subscriptionId);
        unsaved.values().forEach(each -> each.remove(subscriptionId));
    }

    /** The partition is not ours any more: whether they got past their start there, its next owner finds out. */
    synchronized void left(int partition) {
        unsaved.remove(partition);
        beginning.values().forEach(each -> each.past.remove(partition));
    }

    /** To be asked before a partition is asked who is past its start. */
    synchronized long now() {
        return begun;
    }

    /** @param before of those that began anew since then it was not said */
    synchronized void past(Collection<String> ids, int partition, long before) {
        for (String id : ids) {
            Start start = beginning.get(id);
            if (start != null && start.number <= before) {
                unsaved.computeIfAbsent(partition, none -> new HashSet<>()).add(id);
            }
        }
    }

    /** The partition's position says so from now on, also after a crash. */
    synchronized void saved(int partition, Collection<String> ids) {
        Set<String> waiting = unsaved.getOrDefault(partition, Set.of());
        for (String id : ids) {
            Start start = beginning.get(id);
            if (waiting.remove(id) && start != null) {
                start.past.add(partition);
            }
        }
    }

    synchronized List<String> unsaved(int partition) {
        return List.copyOf(unsaved.getOrDefault(partition, Set.of()));
    }

    /** Those that are past their start in so many partitions. */
    synchronized List<Subscription> finished(int partitions) {
        return beginning.values().stream()
                .filter(each -> each.past.size() >= partitions)
                .map(Start::subscription)
                .toList();
    }

    /** The registry knows: nobody begins there again. */
    synchronized void told(Collection<Subscription> finished) {
        for (Subscription each : finished) {
            Start start = beginning.get(each.id());
            if (start != null && start.subscription == each) {
                beginning.remove(each.id());
            }
        }
    }
}

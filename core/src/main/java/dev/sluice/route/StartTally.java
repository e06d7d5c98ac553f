package dev.sluice.route;

import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The subscriptions that asked to begin in the past, and the partitions in which they are not past that yet. When there is
 * none left the registry is told, so that a restart does not begin there again.
 */
final class StartTally {
    private final KnownSubscriptions known;
    private final Map<String, Subscription> beginning = new LinkedHashMap<>();
    private final Map<String, Set<Integer>> in = new HashMap<>();

    StartTally(KnownSubscriptions known) {
        this.known = known;
        for (String gateway : known.gatewayIds()) {
            for (Subscription each : known.ofGateway(gateway)) {
                if (each.from().isPresent()) {
                    beginning.put(each.id(), each);
                }
            }
        }
    }

    synchronized Collection<Subscription> beginning() {
        return List.copyOf(beginning.values());
    }

    synchronized void begins(Subscription subscription) {
        beginning.put(subscription.id(), subscription);
        in.remove(subscription.id());
    }

    /** It begins where it did, and is otherwise another: whether it goes on or begins again there. */
    synchronized void changed(Subscription subscription, boolean again) {
        if (beginning.replace(subscription.id(), subscription) != null && again) {
            in.remove(subscription.id());
        }
    }

    synchronized void startsIn(String subscriptionId, int partition) {
        if (beginning.containsKey(subscriptionId)) {
            in.computeIfAbsent(subscriptionId, none -> new HashSet<>()).add(partition);
        }
    }

    synchronized void ended(String subscriptionId) {
        beginning.remove(subscriptionId);
        in.remove(subscriptionId);
    }

    /** The partition is not ours any more: whether they got past their start there, its next owner finds out. */
    synchronized void left(int partition) {
        in.values().removeIf(partitions -> partitions.contains(partition));
    }

    /** Returns those that have got past their start everywhere; the registry knows. */
    List<String> started(Collection<String> ids, int partition) {
        List<Subscription> everywhere = new ArrayList<>();
        synchronized (this) {
            for (String id : ids) {
                Set<Integer> partitions = in.get(id);
                if (partitions != null && partitions.remove(partition) && partitions.isEmpty()) {
                    in.remove(id);
                    Subscription subscription = beginning.remove(id);
                    if (subscription != null) {
                        everywhere.add(subscription);
                    }
                }
            }
        }
        if (!everywhere.isEmpty()) {
            known.started(everywhere);
        }
        return everywhere.stream().map(Subscription::id).toList();
    }
}

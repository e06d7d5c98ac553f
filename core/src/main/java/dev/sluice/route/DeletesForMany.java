package dev.sluice.route;

import dev.sluice.lane.PendingDelivery;
import dev.sluice.subscribe.RegistryView;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;

/**
 * Acknowledged deletes that stand for many subscriptions, until they may be counted as settled. For the partition's thread.
 *
 * <p>A gateway answers such a delete for all subscriptions it has at that moment. It may have given one of them away, or may
 * have changed its filter, while the partition has not heard of that change: then the subscription was not told, no answer
 * says so, and its place must not move past the delete. Therefore the partition asks the registry, after the answer has
 * arrived, up to which revision changes are stored ({@link RegistryView#storedRevision}), and counts the delete only when it
 * has applied that revision: by then every subscription that was changed before the answer has left the group, with a place
 * before the delete (rule 3), and is told the delete by itself. Gateways need not know of this rule, so those of earlier
 * versions lose nothing either.
 */
final class DeletesForMany {
    private final RegistryView registry;
    private List<PendingDelivery> arrived = new ArrayList<>();
    private final List<Asked> waiting = new ArrayList<>();

    /** @param revision which was stored after these were acknowledged */
    private record Asked(long revision, List<PendingDelivery> acknowledged) {}

    DeletesForMany(RegistryView registry) {
        this.registry = registry;
    }

    /** Takes one that was acknowledged just now. */
    void add(PendingDelivery acknowledged) {
        arrived.add(acknowledged);
    }

    /** Returns those for which the store is to be asked, and forgets them. */
    List<PendingDelivery> takeArrived() {
        List<PendingDelivery> taken = arrived;
        arrived = new ArrayList<>();
        return taken;
    }

    /** The revision that was stored after these had arrived. Returns true. */
    boolean stored(long revision, List<PendingDelivery> acknowledged) {
        return waiting.add(new Asked(revision, acknowledged));
    }

    /** The store did not answer: it is asked again at the next turn. Returns true. */
    boolean notKnown(List<PendingDelivery> acknowledged) {
        return arrived.addAll(acknowledged);
    }

    /** Whether some wait for a revision that the registry shows by now. */
    boolean areDue() {
        return waiting.stream().anyMatch(each -> each.revision <= registry.revision());
    }

    /** Takes those for which everything that was stored is applied. */
    List<PendingDelivery> takeDue(long applied) {
        List<PendingDelivery> due = new ArrayList<>();
        for (Iterator<Asked> each = waiting.iterator(); each.hasNext(); ) {
            Asked asked = each.next();
            if (asked.revision <= applied) {
                due.addAll(asked.acknowledged);
                each.remove();
            }
        }
        return due;
    }

    /** Takes those that are meant: they were withdrawn, so that nothing depends on them. */
    List<PendingDelivery> take(Predicate<PendingDelivery> which) {
        List<PendingDelivery> taken = new ArrayList<>();
        for (Asked asked : waiting) {
            asked.acknowledged.stream().filter(which).forEach(taken::add);
            asked.acknowledged.removeIf(which);
        }
        waiting.removeIf(each -> each.acknowledged.isEmpty());
        return taken;
    }
}

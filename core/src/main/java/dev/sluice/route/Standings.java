package dev.sluice.route;

import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where everybody stands in one partition: each class of each gateway, and the subscriptions that begin in the past and are
 * not with their class yet. Guarded by its partition's lock.
 */
final class Standings {
    private final PartitionHead head;
    private final Map<SavedPosition.LaneKey, LaneProgress> classes = new LinkedHashMap<>();
    private final Starts starts = new Starts();

    Standings(PartitionHead head) {
        this.head = head;
    }

    Starts starts() {
        return starts;
    }

    /** One that nobody has asked for is at the head. */
    LaneProgress of(SavedPosition.LaneKey key) {
        return classes.computeIfAbsent(key, none -> new LaneProgress(key.owner(), key.priority(), null));
    }

    boolean has(SavedPosition.LaneKey key) {
        return classes.containsKey(key);
    }

    /** The class a subscription is of; null: that has never been given anything. */
    @Nullable
    LaneProgress usual(Subscription subscription) {
        return classes.get(SavedPosition.LaneKey.of(subscription));
    }

    /** The class of those it stands for; itself, if it is that. */
    @Nullable
    LaneProgress usual(LaneProgress progress) {
        return classes.get(progress.key());
    }

    List<LaneProgress> classes() {
        return List.copyOf(classes.values());
    }

    List<LaneProgress> all() {
        List<LaneProgress> all = new ArrayList<>(starts.all());
        all.addAll(classes.values());
        return all;
    }

    /** All that stand for this owner, or for some of its subscriptions. */
    List<LaneProgress> ofOwner(Recipient owner) {
        List<LaneProgress> found = all();
        found.removeIf(each -> !each.owner.equals(owner));
        return found;
    }

    private void each(Consumer<LaneProgress> action) {
        classes.values().forEach(action);
        starts.each(action);
    }

    /** Others stand for those it stood for, or nobody needs to. */
    void drop(LaneProgress progress) {
        progress.drop();
        classes.remove(progress.key(), progress);
        starts.drop(progress);
    }

    Positions lowWater(LaneProgress progress) {
        return progress.lowWater(head.at());
    }

    /** Where it is to be read on. When a start has come to the head, what follows is its class's to give. */
    Positions startOf(LaneProgress progress) {
        Positions low = lowWater(progress);
        LaneProgress usual = usual(progress);
        if (usual != null && usual != progress && !progress.isBehind()) {
            low.lower(lowWater(usual));
        }
        if (progress.after != null) {
            low.lower(lowWater(progress.after));
        }
        return low;
    }

    /** How far these owners have acknowledged everything; null while that is not known. */
    @Nullable
    Positions lowWater(Predicate<Recipient> owners) {
        if (head.isNowhere()) {
            return null;
        }
        Positions low = head.at().copy();
        each(progress -> {
            if (owners.test(progress.owner)) {
                low.lower(lowWater(progress));
            }
        });
        return low;
    }

    /** Changes are missing, and somebody has not confirmed that it knows. */
    boolean isStale() {
        return all().stream().anyMatch(LaneProgress::owesResync);
    }

    long unacknowledged() {
        return all().stream().mapToLong(LaneProgress::unacknowledged).sum();
    }

    void wake() {
        each(LaneProgress::wake);
    }

    /** Those that are behind, by owner. */
    Map<Recipient, List<StreamerStatus.Behind>> behind(int partition) {
        Map<Recipient, List<StreamerStatus.Behind>> behind = new HashMap<>();
        each(progress -> {
            Positions at = progress.behind();
            if (at != null) {
                behind.computeIfAbsent(progress.owner, none -> new ArrayList<>())
                        .add(new StreamerStatus.Behind(
                                partition,
                                progress.priority,
                                progress.since(),
                                at.marker().encode(),
                                progress.oldestToRead(head.at())));
            }
        });
        return behind;
    }
}

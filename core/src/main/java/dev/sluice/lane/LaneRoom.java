package dev.sluice.lane;

import dev.sluice.model.Priority;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How much room one lane has, for each priority class and partition. A partition holds at most its share: the queue's size and
 * bytes divided by the number of partitions of this node, and never less than two batches, so that a lower class leaves room for
 * a higher one. So what one partition holds takes nothing of the shares of others, and a partition that begins to use the lane
 * finds its share free. Only where the shares together are larger than the queue, because there are many partitions, do they
 * compete; those refused are then woken when there is room again. Guarded by its lane.
 */
final class LaneRoom {
    private static final Priority[] CLASSES = Priority.values();

    private final LaneSettings.Queue queue;
    private final LaneSettings.Batch batch;
    private final IntSupplier partitions;
    private final Held all = new Held();
    private final Map<Sender, Held> bySender = new HashMap<>();

    /** Partitions that had no room to catch up, with the highest class they asked for. */
    private final Map<Sender, Priority> refused = new LinkedHashMap<>();

    /** Matches by priority class, and their bytes, from when they are queued until they are done. */
    private static final class Held {
        private final int[] matches = new int[CLASSES.length];
        private final long[] bytes = new long[CLASSES.length];
        private int allMatches;
        private long allBytes;

        void add(PendingDelivery delivery, int sign) {
            matches[delivery.priority.ordinal()] += sign;
            bytes[delivery.priority.ordinal()] += sign * delivery.bytes;
            allMatches += sign;
            allBytes += sign * delivery.bytes;
        }

        /**
         * Returns how full a queue of this size is for a class: of what it holds together with the classes that go before it, so
         * that a flood of lower classes leaves room; all classes together never hold more than the size.
         */
        int percent(Priority priority, int size, long mostBytes) {
            long before = 0;
            long bytesBefore = 0;
            for (int k = 0; k <= priority.ordinal(); k++) {
                before += matches[k];
                bytesBefore += bytes[k];
            }
            long most = Math.max(before * 100 / size, bytesBefore * 100 / mostBytes);
            boolean full = allMatches >= size || allBytes >= mostBytes;
            return (int) Math.min(full ? Math.max(most, 100) : most, 1000);
        }
    }

    /** @param partitions how many partitions this node owns */
    LaneRoom(LaneSettings settings, IntSupplier partitions) {
        this.queue = settings.queue();
        this.batch = settings.batch();
        this.partitions = partitions;
    }

    void add(List<PendingDelivery> queued) {
        for (PendingDelivery each : queued) {
            all.add(each, 1);
            bySender.computeIfAbsent(each.sender, none -> new Held()).add(each, 1);
        }
    }

    /** These are done, or withdrawn, and take up no room any more. */
    void free(List<PendingDelivery> done) {
        for (PendingDelivery each : done) {
            all.add(each, -1);
            Held its = bySender.get(each.sender);
            if (its != null) {
                its.add(each, -1);
                if (its.allMatches == 0) {
                    bySender.remove(each.sender);
                }
            }
        }
    }

    /** How many matches each class holds, what is under way included. */
    Map<Priority, Integer> held() {
        Map<Priority, Integer> held = new EnumMap<>(Priority.class);
        for (Priority each : CLASSES) {
            held.put(each, held(each));
        }
        return held;
    }

    int held(Priority priority) {
        return all.matches[priority.ordinal()];
    }

    /** Whether this partition may hand over more of a class, of what comes from the tail. */
    Lane.Room of(Priority priority, Sender sender) {
        int percent = Math.max(percentOfAll(priority), percentOfShare(priority, sender));
        if (percent >= queue.hard()) {
            return Lane.Room.HARD;
        }
        return priority == Priority.LOW && percent >= queue.soft() ? Lane.Room.SOFT : Lane.Room.YES;
    }

    /**
     * Whether this partition may hand over more of what it reads again: it leaves room in its share for the tail, so that a group
     * that reaches the tail does not fall behind at once. {@link #takeRefused} tells a partition that may not when it may again.
     */
    boolean mayCatchUp(Priority priority, Sender sender) {
        boolean may = isFreeToCatchUp(priority, sender);
        if (!may) {
            refused.merge(sender, priority, (one, two) -> one.compareTo(two) <= 0 ? one : two);
        }
        return may;
    }

    private boolean isFreeToCatchUp(Priority priority, Sender sender) {
        return of(priority, sender) == Lane.Room.YES && percentOfShare(priority, sender) < queue.catchUp();
    }

    /** Whether there is room for a dead letter that is sent again, whichever partition it is of. */
    boolean mayRetryLetter() {
        return percentOfAll(Priority.LOW) < queue.catchUp();
    }

    private int percentOfAll(Priority priority) {
        return all.percent(priority, queue.size(), queue.bytes());
    }

    /** Zero for a partition that holds less than one batch. */
    private int percentOfShare(Priority priority, Sender sender) {
        Held its = bySender.get(sender);
        return its == null || its.allMatches < batch.maxSize() && its.allBytes < batch.maxBytes()
                ? 0
                : its.percent(priority, shareSize(), shareBytes());
    }

    private int shareSize() {
        return Math.max(2 * batch.maxSize(), queue.size() / Math.max(1, partitions.getAsInt()));
    }

    private long shareBytes() {
        return Math.max(2L * batch.maxBytes(), queue.bytes() / Math.max(1, partitions.getAsInt()));
    }

    /** Returns the partitions that were refused and have room now, each once for each time it was refused. */
    List<Sender> takeRefused() {
        if (refused.isEmpty()) {
            return List.of();
        }
        List<Sender> free = new ArrayList<>();
        Iterator<Map.Entry<Sender, Priority>> each = refused.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<Sender, Priority> waiting = each.next();
            if (!waiting.getKey().isOpen()) {
                each.remove();
            } else if (isFreeToCatchUp(waiting.getValue(), waiting.getKey())) {
                free.add(waiting.getKey());
                each.remove();
            }
        }
        return free;
    }

    /** Says why a partition may not catch up; null: it may. */
    @Nullable
    String whyFull(Priority priority, Sender sender) {
        if (isFreeToCatchUp(priority, sender)) {
            return null;
        }
        Held its = bySender.get(sender);
        int percent = percentOfShare(priority, sender);
        if (its == null || percent < queue.catchUp()) {
            int below = priority == Priority.LOW ? queue.soft() : queue.hard();
            return words(all, " of " + queue.size(), percentOfAll(priority), below);
        }
        boolean shares = shareSize() < queue.size();
        return words(
                its,
                shares ? " of its partition's share of " + shareSize() : " of " + queue.size(),
                percent,
                queue.catchUp());
    }

    private static String words(Held held, String of, int percent, int below) {
        return held.allMatches + of + " waiting, " + percent + " % full; read on below " + below + " %";
    }
}

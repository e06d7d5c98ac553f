package dev.sluice.lane;

import dev.sluice.model.Priority;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What one gateway is owed and not sent: a bounded queue per priority class. Higher classes go first, except that every so
 * often the lowest does, so that nobody waits forever. Guarded by its lane.
 */
final class LaneQueues {
    private static final Priority[] CLASSES = Priority.values();
    private static final int LOWEST_FIRST = 8;

    private final LaneSettings settings;
    private final LaneRoom room;
    private final Map<Priority, ClassQueue> queues = new EnumMap<>(Priority.class);
    private long batches;

    /** @param room counts what is added here until it is forgotten */
    LaneQueues(LaneSettings settings, LaneRoom room) {
        this.settings = settings;
        this.room = room;
        for (Priority priority : CLASSES) {
            queues.put(priority, new ClassQueue());
        }
    }

    private ClassQueue of(Priority priority) {
        ClassQueue queue = queues.get(priority);
        if (queue == null) {
            throw new IllegalStateException("no queue for " + priority);
        }
        return queue;
    }

    /** All of one class. */
    void add(List<PendingDelivery> owed) {
        room.add(owed);
        owed.forEach(of(owed.getFirst().priority)::add);
    }

    /** Takes out those that wait and are meant. */
    List<PendingDelivery> remove(Predicate<PendingDelivery> which) {
        List<PendingDelivery> removed = new ArrayList<>();
        queues.values().forEach(queue -> removed.addAll(queue.remove(which)));
        room.free(removed);
        return removed;
    }

    Stream<PendingDelivery> waiting() {
        return queues.values().stream().flatMap(ClassQueue::waiting);
    }

    /** How many could go out now, at most. */
    int ready() {
        return queues.values().stream().mapToInt(ClassQueue::ready).sum();
    }

    /** Since when the first of them has been waiting; meaningless when there is none. */
    long readySince() {
        return queues.values().stream()
                .filter(queue -> queue.ready() > 0)
                .mapToLong(ClassQueue::readySince)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** What goes out next; its flows are busy until they are released. */
    List<PendingDelivery> takeBatch() {
        List<PendingDelivery> batch = new ArrayList<>();
        boolean lowestFirst = ++batches % LOWEST_FIRST == 0;
        for (int k = 0; k < CLASSES.length; k++) {
            Priority priority = CLASSES[lowestFirst ? CLASSES.length - 1 - k : k];
            of(priority)
                    .take(batch, settings.batch().maxSize(), settings.batch().maxBytes());
        }
        return batch;
    }

    /** These are done, and take up no room any more. */
    void forget(List<PendingDelivery> done) {
        room.free(done);
    }
}

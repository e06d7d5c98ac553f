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
    private final Map<Priority, ClassQueue> queues = new EnumMap<>(Priority.class);
    private long batches;

    LaneQueues(LaneSettings settings) {
        this.settings = settings;
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

    /**
     * How full the queue is for a class: of what it holds together with the classes that go before it, so that a flood of
     * lower ones leaves room; all classes together never hold more than the queue's size.
     */
    int percent(Priority priority) {
        long before = 0;
        long bytesBefore = 0;
        long all = 0;
        long allBytes = 0;
        for (Priority each : CLASSES) {
            ClassQueue queue = of(each);
            all += queue.held();
            allBytes += queue.bytes();
            if (each.compareTo(priority) <= 0) {
                before = all;
                bytesBefore = allBytes;
            }
        }
        int size = settings.queue().size();
        long bytes = settings.queue().bytes();
        long most = Math.max(before * 100 / size, bytesBefore * 100 / bytes);
        boolean full = all >= size || allBytes >= bytes;
        return (int) Math.min(full ? Math.max(most, 100) : most, 1000);
    }

    /** All of one class. */
    void add(List<PendingDelivery> owed) {
        owed.forEach(of(owed.getFirst().priority)::add);
    }

    /** Takes out those that wait and are meant. */
    List<PendingDelivery> remove(Predicate<PendingDelivery> which) {
        List<PendingDelivery> removed = new ArrayList<>();
        queues.values().forEach(queue -> removed.addAll(queue.remove(which)));
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
        done.forEach(each -> of(each.priority).forget(each));
    }

    /** How many each class holds, what is under way included. */
    Map<Priority, Integer> held() {
        Map<Priority, Integer> held = new EnumMap<>(Priority.class);
        queues.forEach((priority, queue) -> held.put(priority, queue.held()));
        return held;
    }

    int held(Priority priority) {
        return of(priority).held();
    }
}

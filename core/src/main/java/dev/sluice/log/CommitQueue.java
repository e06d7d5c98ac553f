package dev.sluice.log;

import dev.sluice.checkpoint.Checkpoint;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What waits for its commit, bounded in events and bytes. A full queue holds up whoever fills it. */
final class CommitQueue {
    /** Events that were handed in together, and the checkpoint that follows the last of them. */
    record Parcel(
            List<EventRecord> events, long bytes, @Nullable Checkpoint checkpoint) {}

    private final GroupCommitLimits limits;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<Parcel> parcels = new ArrayDeque<>();
    private int events;
    private long bytes;
    private boolean taken;
    private boolean closed;
    private @Nullable EventLogException failure;

    CommitQueue(GroupCommitLimits limits) {
        this.limits = limits;
    }

    /** Waits for room. */
    void put(Parcel parcel) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (isFullFor(parcel)) {
                changed.await();
            }
            parcels.add(parcel);
            events += parcel.events.size();
            bytes += parcel.bytes;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean isFullFor(Parcel parcel) {
        throwFailure();
        if (closed) {
            throw new LogUnavailableException("This event log takes no more events: it is being closed.", null);
        }
        return !parcels.isEmpty()
                && (events + parcel.events.size() > limits.queueEvents() || bytes + parcel.bytes > limits.queueBytes());
    }

    /** As many parcels as fit into one commit; null when none came for so long. */
    @Nullable
    Parcel takeBatch(long waitNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (parcels.isEmpty()) {
                if (waitNanos <= 0 || closed) {
                    return null;
                }
                waitNanos = changed.awaitNanos(waitNanos);
            }
            Parcel batch = merge();
            taken = true;
            changed.signalAll();
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /** Removes only what is merged: when memory runs out on the way, everything is still there. */
    private Parcel merge() {
        int count = 0;
        int size = 0;
        long total = 0;
        Checkpoint checkpoint = null;
        for (Parcel next : parcels) {
            if (count > 0 && !fits(size + next.events.size(), total + next.bytes)) {
                break;
            }
            count++;
            size += next.events.size();
            total += next.bytes;
            checkpoint = next.checkpoint != null ? next.checkpoint : checkpoint;
        }
        Parcel merged = count == 1 ? parcels.element() : new Parcel(firstEvents(size), total, checkpoint);
        for (int i = 0; i < count; i++) {
            parcels.remove();
        }
        events -= size;
        bytes -= total;
        return merged;
    }

    private boolean fits(int count, long size) {
        return count <= limits.batchEvents() && size <= limits.batchBytes();
    }

    private List<EventRecord> firstEvents(int count) {
        List<EventRecord> first = new ArrayList<>(count);
        for (Parcel parcel : parcels) {
            if (first.size() == count) {
                break;
            }
            first.addAll(parcel.events);
        }
        return first;
    }

    /** The batch that was taken is stored. */
    void done() {
        lock.lock();
        try {
            taken = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** From now on whoever hands in events is told. */
    void fail(EventLogException cause) {
        lock.lock();
        try {
            failure = cause;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until everything handed in is stored; false when it took longer. */
    boolean awaitDrained(long waitNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (taken || !parcels.isEmpty()) {
                throwFailure();
                if (waitNanos <= 0) {
                    return false;
                }
                waitNanos = changed.awaitNanos(waitNanos);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Takes no more; what is there may still be taken out. */
    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits unless it is closed. */
    void pause(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanos;
            while (left > 0 && !closed) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    int events() {
        lock.lock();
        try {
            return events;
        } finally {
            lock.unlock();
        }
    }

    private void throwFailure() {
        if (failure != null) {
            throw failure;
        }
    }
}

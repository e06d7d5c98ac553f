package dev.sluice.log;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The last committed entries, in memory, for readers that keep up; bounded in events and bytes. The writer publishes
 * each commit once it is on disk; what falls out at the other end is read from disk. Any thread may read or wait.
 */
public final class LiveTail {
    private final long maxBytes;
    private final LogEntry[] ring;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition grown = lock.newCondition();
    private final List<Runnable> wakeUps = new CopyOnWriteArrayList<>();

    private LogPosition start;
    private volatile LogPosition head;
    private long first;
    private long next;
    private long bytes;

    /**
     * @param head that of the log, to begin with
     * @param maxEvents at least 1; one reference each is taken at once
     * @param maxBytes of the entries; the newest one stays even when it is bigger
     */
    public LiveTail(LogPosition head, int maxEvents, long maxBytes) {
        this.start = head;
        this.head = head;
        this.ring = new LogEntry[maxEvents];
        this.maxBytes = maxBytes;
    }

    /** The last position published. */
    public LogPosition head() {
        return head;
    }

    /** Called by the writer, once per commit, in order. */
    public void publish(Appended appended) {
        lock.lock();
        try {
            if (!appended.after().equals(head)) {
                restartAt(appended.after());
            }
            appended.entries().forEach(this::add);
            head = appended.head();
            grown.signalAll();
        } finally {
            lock.unlock();
        }
        wakeUps.forEach(Runnable::run);
    }

    /** The log grew past us (an append that failed but had been stored): what lies between is on disk only. */
    private void restartAt(LogPosition position) {
        while (first < next) {
            removeFirst();
        }
        start = position;
    }

    private void add(LogEntry entry) {
        while (first < next && (next - first == ring.length || bytes + entry.bytes() > maxBytes)) {
            removeFirst();
        }
        ring[slot(next++)] = entry;
        bytes += entry.bytes();
    }

    @SuppressWarnings("NullAway") // a slot outside of first..next is never read
    private void removeFirst() {
        LogEntry oldest = ring[slot(first)];
        ring[slot(first++)] = null;
        bytes -= oldest.bytes();
        start = oldest.position();
    }

    private int slot(long index) {
        return (int) (index % ring.length);
    }

    /** What directly follows this position, as {@link EventLog#read} does; null when memory does not reach back that far. */
    public LogRead.@Nullable Entries read(LogPosition after, int maxEvents, long maxBytes) {
        if (after.compareTo(head) >= 0) {
            return new LogRead.Entries(List.of(), after);
        }
        lock.lock();
        try {
            return after.compareTo(start) < 0 ? null : copy(after, maxEvents, maxBytes);
        } finally {
            lock.unlock();
        }
    }

    private LogRead.Entries copy(LogPosition after, int maxEvents, long maxBytes) {
        long index = firstBehind(after);
        List<LogEntry> found = new ArrayList<>((int) Math.min(maxEvents, next - index));
        LogPosition reached = after;
        long size = 0;
        while (index < next && found.size() < maxEvents) {
            LogEntry entry = ring[slot(index++)];
            size += entry.bytes();
            if (size > maxBytes && !found.isEmpty()) {
                break;
            }
            found.add(entry);
            reached = entry.position();
        }
        return new LogRead.Entries(found, reached);
    }

    private long firstBehind(LogPosition after) {
        long low = first;
        long high = next;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (ring[slot(middle)].position().compareTo(after) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Waits until there is something behind this position; false when there was nothing for so long. */
    public boolean await(LogPosition after, Duration timeout) throws InterruptedException {
        long left = timeout.toNanos();
        lock.lock();
        try {
            while (head.compareTo(after) <= 0) {
                if (left <= 0) {
                    return false;
                }
                left = grown.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Has this run after each commit, on the writer's thread: it must do no more than wake somebody up.
     *
     * @return ends that
     */
    public Runnable onCommit(Runnable wakeUp) {
        wakeUps.add(wakeUp);
        return () -> wakeUps.remove(wakeUp);
    }

    /** How many bytes of entries it holds now. */
    public long bytes() {
        lock.lock();
        try {
            return bytes;
        } finally {
            lock.unlock();
        }
    }
}

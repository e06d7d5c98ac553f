package dev.sluice.gateway.web;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The messages that wait for one connection, bounded. Putting never waits, so that a slow connection delays no other. When
 * this queue is full, or it has most of what waits while all queues together are full, its connection is cut off: what waited
 * is dropped, and the client comes again.
 */
final class ClientQueue {
    private final WebLimits limits;
    private final QueueMemory memory;
    private final WebCounters counters;
    private final Runnable whenCutOff;
    private final Consumer<ClientQueue> whenChanged;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<ClientMessage> messages = new ArrayDeque<>();

    /** Taken, and perhaps not written yet. */
    private List<ClientMessage> taken = List.of();

    private long takenBytes;
    private long bytes;
    private volatile long waitingBytes;
    private volatile boolean closed;

    /** For a writer that waits in {@link #take}. */
    ClientQueue(WebLimits limits, QueueMemory memory, WebCounters counters, Runnable whenCutOff) {
        this(limits, memory, counters, whenCutOff, queue -> {});
    }

    /**
     * @param memory of all connections
     * @param whenCutOff frees a writer that is stuck; called once, while this queue is locked, by the thread that put too much
     * @param whenChanged called when a message waits, and when this queue was closed, while it is locked; must not block
     */
    ClientQueue(
            WebLimits limits,
            QueueMemory memory,
            WebCounters counters,
            Runnable whenCutOff,
            Consumer<ClientQueue> whenChanged) {
        this.limits = limits;
        this.memory = memory;
        this.counters = counters;
        this.whenCutOff = whenCutOff;
        this.whenChanged = whenChanged;
        memory.opened(this);
    }

    /** Passes over a closed queue. */
    void put(ClientMessage message) {
        ClientMessage admitted = isClosed() ? null : admit(message);
        if (admitted != null && !add(admitted)) {
            memory.release(admitted);
        }
    }

    /** Makes room by cutting off whoever has most waiting; null: that is this one. */
    private @Nullable ClientMessage admit(ClientMessage message) {
        ClientMessage admitted = memory.admit(message);
        while (admitted == null) {
            ClientQueue largest = memory.largest(this);
            largest.cutOff();
            if (largest == this) {
                return null;
            }
            admitted = memory.admit(message);
        }
        return admitted;
    }

    private boolean add(ClientMessage message) {
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            boolean full = messages.size() >= limits.queuedMessages()
                    || bytes + message.bytes() > limits.queuedBytes() && !messages.isEmpty();
            if (full) {
                cutOff();
                return false;
            }
            messages.add(message);
            count(message.bytes());
            signal();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the connection, which is too slow. */
    private void cutOff() {
        lock.lock();
        try {
            if (!closed) {
                counters.cutOff(messages.size());
                end();
                whenCutOff.run();
            }
        } finally {
            lock.unlock();
        }
    }

    private void count(long more) {
        bytes += more;
        waitingBytes = bytes + takenBytes;
    }

    private void end() {
        if (closed) {
            return;
        }
        closed = true;
        memory.closed(this);
        releaseTaken();
        messages.forEach(memory::release);
        messages.clear();
        count(-bytes);
        signal();
    }

    private void signal() {
        changed.signal();
        whenChanged.accept(this);
    }

    private void releaseTaken() {
        taken.forEach(memory::release);
        taken = List.of();
        takenBytes = 0;
    }

    private void takenIsWritten() {
        counters.sent(taken.size());
        releaseTaken();
    }

    /**
     * Returns the next message; null after so long, or when it is closed. The one before counts as written: for the only
     * thread that writes.
     */
    @Nullable
    ClientMessage take(Duration wait) throws InterruptedException {
        lock.lock();
        try {
            takenIsWritten();
            count(0);
            long left = wait.toNanos();
            while (messages.isEmpty() && !closed && left > 0) {
                left = changed.awaitNanos(left);
            }
            List<ClientMessage> next = poll(1);
            return next.isEmpty() ? null : next.getFirst();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the next messages without waiting: as many as have so many bytes together, at least one; none when none waits. The
     * messages returned before count as written: for the only thread that writes.
     */
    List<ClientMessage> takeSome(int mostBytes) {
        lock.lock();
        try {
            takenIsWritten();
            return poll(mostBytes);
        } finally {
            lock.unlock();
        }
    }

    private List<ClientMessage> poll(int mostBytes) {
        ClientMessage first = messages.poll();
        if (first != null) {
            taken = List.of(first);
            takenBytes = first.bytes();
            pollMore(first, mostBytes);
        }
        count(-takenBytes);
        return taken;
    }

    private void pollMore(ClientMessage first, int mostBytes) {
        ClientMessage next = messages.peek();
        if (next == null || takenBytes + next.bytes() > mostBytes) {
            return;
        }
        List<ClientMessage> some = new ArrayList<>();
        some.add(first);
        for (; next != null && takenBytes + next.bytes() <= mostBytes; next = messages.peek()) {
            takenBytes += next.bytes();
            some.add(messages.remove());
        }
        taken = some;
    }

    /** The bytes that wait, those that are being written among them. */
    long waitingBytes() {
        return waitingBytes;
    }

    /** Whether all that was put has been taken: what waited in a closed one is gone. */
    boolean isOpenAndEmpty() {
        lock.lock();
        try {
            return !closed && messages.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        return closed;
    }

    void close() {
        lock.lock();
        try {
            end();
        } finally {
            lock.unlock();
        }
    }
}

package dev.sluice.gateway.web;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What waits for one connection, bounded. Putting never waits: the gateway serves everybody, and nobody else shall notice
 * that this one is slow. When it is full the connection is over, and says so to the thread that writes.
 */
final class ClientQueue {
    private final WebLimits limits;
    private final AtomicLong inAll;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<String> messages = new ArrayDeque<>();
    private final Runnable whenFull;
    private long characters;
    private boolean closed;

    /**
     * @param inAll the characters that wait for all connections
     * @param whenFull frees a writer that is stuck; called once, by whoever put too much
     */
    ClientQueue(WebLimits limits, AtomicLong inAll, Runnable whenFull) {
        this.limits = limits;
        this.inAll = inAll;
        this.whenFull = whenFull;
    }

    /** Passes over a closed queue. */
    void put(String message) {
        if (!tryPut(message)) {
            whenFull.run();
        }
    }

    private boolean tryPut(String message) {
        lock.lock();
        try {
            if (closed) {
                return true;
            }
            boolean full = isTooMuch(message.length());
            if (full) {
                end();
            } else {
                messages.add(message);
                count(message.length());
            }
            changed.signal();
            return !full;
        } finally {
            lock.unlock();
        }
    }

    private boolean isTooMuch(int more) {
        boolean tooMany = messages.size() >= limits.queuedMessages();
        boolean tooLong =
                characters + more > limits.queuedCharacters() || inAll.get() + more > limits.queuedCharactersInAll();
        return tooMany || tooLong && !messages.isEmpty();
    }

    private void count(long more) {
        characters += more;
        inAll.addAndGet(more);
    }

    private void end() {
        closed = true;
        messages.clear();
        count(-characters);
    }

    /** The next message; null after so long, or when it is closed. */
    @Nullable
    String take(Duration wait) throws InterruptedException {
        lock.lock();
        try {
            long left = wait.toNanos();
            while (messages.isEmpty() && !closed && left > 0) {
                left = changed.awaitNanos(left);
            }
            String message = messages.poll();
            count(message == null ? 0 : -message.length());
            return message;
        } finally {
            lock.unlock();
        }
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
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            end();
            changed.signal();
        } finally {
            lock.unlock();
        }
    }
}

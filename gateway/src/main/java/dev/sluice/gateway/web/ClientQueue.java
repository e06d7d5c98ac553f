package dev.sluice.gateway.web;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What waits for one connection, bounded. Putting never waits: the gateway serves everybody, and nobody else shall notice
 * that this one is slow. When it is full the connection is over, and says so to the thread that writes.
 */
final class ClientQueue {
    private final int mostMessages;
    private final int mostCharacters;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<String> messages = new ArrayDeque<>();
    private final Runnable whenFull;
    private long characters;
    private boolean closed;

    /** @param whenFull frees a writer that is stuck; called once, by whoever put too much */
    ClientQueue(WebLimits limits, Runnable whenFull) {
        this.mostMessages = limits.queuedMessages();
        this.mostCharacters = limits.queuedCharacters();
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
            boolean full = messages.size() >= mostMessages
                    || !messages.isEmpty() && characters + message.length() > mostCharacters;
            if (full) {
                closed = true;
                messages.clear();
            } else {
                messages.add(message);
                characters += message.length();
            }
            changed.signal();
            return !full;
        } finally {
            lock.unlock();
        }
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
            characters -= message == null ? 0 : message.length();
            return message;
        } finally {
            lock.unlock();
        }
    }

    boolean isEmpty() {
        lock.lock();
        try {
            return messages.isEmpty();
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
            closed = true;
            messages.clear();
            changed.signal();
        } finally {
            lock.unlock();
        }
    }
}

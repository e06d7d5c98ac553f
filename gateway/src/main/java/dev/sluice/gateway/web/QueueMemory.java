package dev.sluice.gateway.web;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that wait for all clients of a server, with one bound. An event that waits for many clients is kept and counted
 * once. A message counts from when it is queued until it has been written. Any thread may call; no other lock is taken here.
 */
final class QueueMemory {
    /** What a queued message takes besides its bytes. */
    static final int OVERHEAD = 64;

    private final long bound;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, EncodedEvent> events = new HashMap<>();
    private final Set<ClientQueue> queues = new HashSet<>();
    private long bytes;

    QueueMemory(long bound) {
        this.bound = bound;
    }

    /**
     * Counts a message in. Returns it, with the copy of its event that waits already where there is one; null when there is
     * no room. A message that is alone has room in any case: else an event larger than the bound could never be sent.
     */
    @Nullable
    ClientMessage admit(ClientMessage message) {
        lock.lock();
        try {
            EncodedEvent event = message.event();
            EncodedEvent kept = event == null ? null : shared(event);
            long shared = kept != null && kept.holders == 0 ? kept.json().length : 0;
            long more = OVERHEAD + message.ownBytes() + shared;
            if (bytes > 0 && bytes + more > bound) {
                return null;
            }
            bytes += more;
            if (kept == null) {
                return message;
            }
            kept.holders++;
            events.putIfAbsent(kept.key(), kept);
            return kept == event ? message : message.sharing(kept);
        } finally {
            lock.unlock();
        }
    }

    private EncodedEvent shared(EncodedEvent event) {
        if (event.holders > 0) {
            return event;
        }
        EncodedEvent waiting = events.get(event.key());
        return waiting != null && waiting.hasContentOf(event) ? waiting : event;
    }

    /** Counts a message out that was {@link #admit admitted}. */
    void release(ClientMessage message) {
        lock.lock();
        try {
            bytes -= OVERHEAD + message.ownBytes();
            EncodedEvent event = message.event();
            if (event != null && --event.holders == 0) {
                bytes -= event.json().length;
                events.remove(event.key(), event);
            }
        } finally {
            lock.unlock();
        }
    }

    void opened(ClientQueue queue) {
        lock.lock();
        try {
            queues.add(queue);
        } finally {
            lock.unlock();
        }
    }

    void closed(ClientQueue queue) {
        lock.lock();
        try {
            queues.remove(queue);
        } finally {
            lock.unlock();
        }
    }

    /** The queue for which most waits; this one when no other has more. */
    ClientQueue largest(ClientQueue own) {
        lock.lock();
        try {
            ClientQueue largest = own;
            for (ClientQueue each : queues) {
                largest = each.waitingBytes() > largest.waitingBytes() ? each : largest;
            }
            return largest;
        } finally {
            lock.unlock();
        }
    }

    /** How many bytes wait. */
    long bytes() {
        lock.lock();
        try {
            return bytes;
        } finally {
            lock.unlock();
        }
    }
}

package dev.sluice.gateway.web;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that wait for all clients of a server, with one bound. An event that waits for many clients is kept and counted
 * once. A message counts from when it is queued until it has been written. Any thread may call; no other lock is taken here. (A
 * monitor: it is held for a moment, twice per message, and a virtual thread that waits for a lock is parked at once.)
 */
final class QueueMemory {
    /** What a queued message takes besides its bytes. */
    static final int OVERHEAD = 64;

    private final long bound;
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
    synchronized ClientMessage admit(ClientMessage message) {
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
    }

    private EncodedEvent shared(EncodedEvent event) {
        if (event.holders > 0) {
            return event;
        }
        EncodedEvent waiting = events.get(event.key());
        return waiting != null && waiting.hasContentOf(event) ? waiting : event;
    }

    /** Counts a message out that was {@link #admit admitted}. */
    synchronized void release(ClientMessage message) {
        bytes -= OVERHEAD + message.ownBytes();
        EncodedEvent event = message.event();
        if (event != null && --event.holders == 0) {
            bytes -= event.json().length;
            events.remove(event.key(), event);
        }
    }

    synchronized void opened(ClientQueue queue) {
        queues.add(queue);
    }

    synchronized void closed(ClientQueue queue) {
        queues.remove(queue);
    }

    /** The queue for which most waits; this one when no other has more. */
    synchronized ClientQueue largest(ClientQueue own) {
        ClientQueue largest = own;
        for (ClientQueue each : queues) {
            largest = each.waitingBytes() > largest.waitingBytes() ? each : largest;
        }
        return largest;
    }

    /** How many bytes wait. */
    synchronized long bytes() {
        return bytes;
    }
}

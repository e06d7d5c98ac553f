package dev.sluice.stream;

import dev.sluice.log.EventRecord;
import dev.sluice.model.EventId;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The bodies of events in forms other than the stored one, made once and shared by all consumers that want them: JSON is
 * by far the most expensive thing a Puller does. Bounded in bytes; the oldest go first, since consumers that keep up want
 * the newest. Any thread may ask.
 */
public final class EventForms {
    /** The length tells an event with its pre-image from the same one without. */
    private record Key(String backend, EventId id, int length, boolean json, boolean lastState) {}

    /** Filled in by the first who needs it, while others wait for it rather than doing the same work. */
    private static final class Body {
        private final long cost;
        private byte @Nullable [] bytes;

        Body(long cost) {
            this.cost = cost;
        }

        synchronized byte[] get(EventRecord event, Key key) {
            byte[] made = bytes;
            if (made == null) {
                made = EventForm.of(event, key.json, key.lastState);
                bytes = made;
            }
            return made;
        }
    }

    private final long maxBytes;
    private final Map<Key, Body> bodies = new LinkedHashMap<>();
    private long bytes;
    private long made;

    public EventForms(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    public byte[] body(String backend, EventRecord event, DocumentEncoding encoding, boolean lastState) {
        Key key = new Key(backend, event.id(), event.bodyLength(), encoding == DocumentEncoding.JSON, lastState);
        return find(key, event.bodyLength()).get(event, key);
    }

    private synchronized Body find(Key key, int length) {
        Body body = bodies.get(key);
        if (body == null) {
            body = new Body(cost(length));
            bodies.put(key, body);
            made++;
            bytes += body.cost;
            dropOldest();
        }
        return body;
    }

    private void dropOldest() {
        Iterator<Body> oldest = bodies.values().iterator();
        while (bytes > maxBytes && bodies.size() > 1) {
            bytes -= oldest.next().cost;
            oldest.remove();
        }
    }

    /** JSON takes about half as much again as BSON; the rest is what the map and the key take. */
    private static long cost(int length) {
        return 160 + length + length / 2;
    }

    /** How many bodies were made, rather than shared. */
    public synchronized long made() {
        return made;
    }
}

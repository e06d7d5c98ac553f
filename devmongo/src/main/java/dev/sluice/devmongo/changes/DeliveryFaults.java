package dev.sluice.devmongo.changes;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** What a test wants to go wrong on the way out: events that are sent twice. */
public final class DeliveryFaults {
    private final AtomicInteger duplicates = new AtomicInteger();

    /** Sends each of the next {@code n} events of any stream twice. */
    public void duplicateNext(int n) {
        duplicates.addAndGet(n);
    }

    void repeat(byte[] event, List<byte[]> events) {
        if (duplicates.get() > 0 && duplicates.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            events.add(event);
        }
    }
}

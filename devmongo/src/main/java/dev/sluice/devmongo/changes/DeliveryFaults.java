package dev.sluice.devmongo.changes;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** What a test wants to go wrong on the way out: events that are sent twice, a scan of the oplog that takes its time. */
public final class DeliveryFaults {
    private final AtomicInteger duplicates = new AtomicInteger();
    private volatile long nanosPerEntry;

    /** Sends each of the next {@code n} events of any stream twice. */
    public void duplicateNext(int n) {
        duplicates.addAndGet(n);
    }

    /** Each oplog entry that a stream passes takes this long, also entries that its filter rejects. */
    public void slowScan(Duration perEntry) {
        nanosPerEntry = perEntry.toNanos();
    }

    void scanned() {
        if (nanosPerEntry > 0) {
            LockSupport.parkNanos(nanosPerEntry);
        }
    }

    void repeat(byte[] event, List<byte[]> events) {
        if (duplicates.get() > 0 && duplicates.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            events.add(event);
        }
    }
}

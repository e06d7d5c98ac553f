package dev.sluice.outbox.relay;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Lease;
import dev.sluice.coordinate.StoreUnavailableException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The lock of an outbox of the old kind: one ShedLock row, by name, that lets one node work. As long as there is one partition
 * and old nodes may run, its owner holds this lock as well, so that they exclude each other. It is asked for until it is
 * free, and renewed while it is held.
 */
final class OldLock implements AutoCloseable {
    private static final Duration RETRY = Duration.ofMillis(500);

    private final CoordinationStore store;
    private final String name;
    private final String holder;
    private final Duration time;
    private final LongSupplier nanos;
    private final Repeating thread;
    private @Nullable Lease lease;
    private volatile boolean held;
    private volatile long until;

    OldLock(CoordinationStore store, String name, String holder, Duration time, LongSupplier nanos) {
        this.store = store;
        this.name = name;
        this.holder = holder;
        this.time = time;
        this.nanos = nanos;
        this.thread = Repeating.start("outbox-old-lock", this::step, this::release);
    }

    private Duration step() {
        long before = nanos.getAsLong();
        try {
            Lease last = lease;
            if (last == null || !last.renew()) {
                lease = store.openLease(name, holder, time).orElse(null);
            }
        } catch (StoreUnavailableException undecided) {
            return RETRY;
        }
        held = lease != null;
        until = before + time.multipliedBy(4).dividedBy(5).toNanos();
        return held ? time.dividedBy(4) : RETRY;
    }

    /** By our clock, counted from before the last renewal was sent. */
    boolean isHeld() {
        return held && nanos.getAsLong() - until < 0;
    }

    private void release() {
        held = false;
        Lease last = lease;
        if (last != null) {
            last.close();
        }
    }

    @Override
    public void close() {
        thread.close();
    }
}

package dev.sluice.worker.consume;

import dev.sluice.coordinate.Clockwork;
import java.time.Duration;

/**
 * Tells how long this worker leaves consumers of an interest stream alone after one of its own broke. NATS (2.10.27 and
 * 2.15.1) erases what such a stream holds when a consumer is deleted, or loses a filter, while the server stops.
 */
public final class ServerTrouble {
    private static final Duration AFTER_TROUBLE = Duration.ofSeconds(5);

    /** When one consumer after the other breaks: the others are deleted once in this time, or they would become ever more. */
    private static final Duration LONGEST_TROUBLE = Duration.ofMinutes(1);

    private final Clockwork clockwork;
    private final boolean matters;
    private long since;
    private long until;

    public ServerTrouble(Clockwork clockwork, StreamKind kind) {
        this.clockwork = clockwork;
        this.matters = kind == StreamKind.INTEREST;
        this.until = clockwork.nanos();
    }

    /** A consumer broke: its server may be stopping. */
    synchronized void begins() {
        if (matters) {
            long now = clockwork.nanos();
            since = lasts() ? since : now;
            long longest = LONGEST_TROUBLE.toNanos() - (now - since);
            until = now + Math.min(AFTER_TROUBLE.toNanos(), longest);
        }
    }

    /** Whether no consumer may be deleted or changed now. */
    synchronized boolean lasts() {
        return clockwork.nanos() - until < 0;
    }
}

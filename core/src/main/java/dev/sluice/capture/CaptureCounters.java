package dev.sluice.capture;

import java.util.concurrent.atomic.AtomicLong;

/** What happened since this process began to capture one backend. Any thread may read. */
public final class CaptureCounters {
    final AtomicLong eventsIngested = new AtomicLong();
    final AtomicLong gapsDetected = new AtomicLong();
    final AtomicLong rescanned = new AtomicLong();
    final AtomicLong reconnects = new AtomicLong();
    final AtomicLong connectionFailures = new AtomicLong();
    final AtomicLong stalls = new AtomicLong();
    final AtomicLong checkpointsSaved = new AtomicLong();
    final AtomicLong checkpointErrors = new AtomicLong();

    /** Events handed to the event log, repeats included. */
    public long eventsIngested() {
        return eventsIngested.get();
    }

    /** Times changes were missing that can no longer be stored in order. */
    public long gapsDetected() {
        return gapsDetected.get();
    }

    /** Events read again after a token was unknown to the source. */
    public long rescanned() {
        return rescanned.get();
    }

    /** Streams opened after the first one. */
    public long reconnects() {
        return reconnects.get();
    }

    public long connectionFailures() {
        return connectionFailures.get();
    }

    public long stalls() {
        return stalls.get();
    }

    /** Checkpoints given to the event log, and saved in the mirror. */
    public long checkpointsSaved() {
        return checkpointsSaved.get();
    }

    /** Failed saves in the mirror; the one in the log fails only together with its events. */
    public long checkpointErrors() {
        return checkpointErrors.get();
    }
}

package dev.sluice.worker.consume;

import dev.sluice.worker.stream.StreamState.Retention;

/** What the retention of a stream demands of its consumers. */
public enum StreamKind {
    /** Messages stay whatever consumers do: readers need no acknowledgements, strays are acknowledged. */
    LIMITS,
    /** An acknowledgement deletes, and no two consumers share a subject: the stream itself is the cursor. */
    WORK_QUEUE,
    /** A message is gone once every consumer has acknowledged it: a partition is never without a consumer. */
    INTEREST;

    public static StreamKind of(Retention retention) {
        return switch (retention) {
            case LIMITS -> LIMITS;
            case WORK_QUEUE -> WORK_QUEUE;
            case INTEREST -> INTEREST;
        };
    }

    /** Whether a message of a partition that this worker does not own may be acknowledged on its consumer. */
    boolean acksStrays() {
        return this == LIMITS;
    }

    /** Whether a new consumer may be created while the one it replaces still exists. */
    boolean overlaps() {
        return this != WORK_QUEUE;
    }
}

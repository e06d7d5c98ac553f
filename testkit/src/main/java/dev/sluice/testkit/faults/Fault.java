package dev.sluice.testkit.faults;

import java.time.Duration;

/** What a {@link FaultProxy} does to the bytes of one direction, on all its connections, until told otherwise. */
public sealed interface Fault {

    /** Passes them on at once. */
    record Pass() implements Fault {}

    /** Passes each piece on after {@code base} plus a random part of {@code jitter}; order is kept, bandwidth too. */
    record Delay(Duration base, Duration jitter) implements Fault {
        public Delay {
            if (base.isNegative() || jitter.isNegative()) {
                throw new IllegalArgumentException("A delay cannot be negative: " + base + " + " + jitter + ".");
            }
        }
    }

    /** Lets so many bytes per second pass, shared by all connections. */
    record Throttle(long bytesPerSecond) implements Fault {
        public Throttle {
            if (bytesPerSecond < 1) {
                throw new IllegalArgumentException(
                        "Throttle to at least 1 byte per second, not " + bytesPerSecond + "; or use Stall.");
            }
        }
    }

    /**
     * Reads nothing and passes nothing, not even the end of a connection: the sender runs into a full window. After it
     * everything goes on where it stood, as after packets were dropped and sent again.
     */
    record Stall() implements Fault {}

    /**
     * Reads everything and passes nothing, not even the end of a connection: the sender believes that all is well. A
     * connection that lost bytes this way is reset afterwards, because TCP never continues behind a gap.
     */
    record Swallow() implements Fault {}

    /** Passes so many more bytes, closes all connections right behind them, then goes on as {@link Pass}. */
    record CutAfter(long bytes) implements Fault {
        public CutAfter {
            if (bytes < 0) {
                throw new IllegalArgumentException("Cannot cut after " + bytes + " bytes: use 0 or more.");
            }
        }
    }
}

package dev.sluice.stream;

import java.time.Duration;

/**
 * What consumers may take of the Puller.
 *
 * @param batchEvents most events in a batch
 * @param batchBytes a batch is closed when it has this many
 * @param catchUpThreshold events behind the head from which coalescing starts, for consumers that asked for it
 * @param windowBytes what the catch-up windows of all consumers together may take of the heap
 * @param maxAheadWait how long a marker may be ahead of the log before it is refused
 * @param heartbeat the time between two heartbeats
 * @param retention how long the logs keep events, to foresee when a consumer will be overtaken
 */
public record StreamLimits(
        int batchEvents,
        int batchBytes,
        long catchUpThreshold,
        long windowBytes,
        Duration maxAheadWait,
        Duration heartbeat,
        Duration retention) {
    private static final long MOST_WINDOW_BYTES = 512L << 20;
    private static final int SHARE_OF_HEAP = 8;

    public static final StreamLimits DEFAULT = new StreamLimits(
            1_000,
            256 << 10,
            100_000,
            Math.min(MOST_WINDOW_BYTES, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP),
            Duration.ofSeconds(30),
            Duration.ofSeconds(1),
            Duration.ofHours(1));

    public StreamLimits {
        if (batchEvents < 1 || batchBytes < 1 || catchUpThreshold < 0) {
            throw new IllegalArgumentException("A stream's batches hold at least one event and one byte, and its"
                    + " catch-up threshold is not negative.");
        }
        if (windowBytes < 1 || windowBytes > MOST_WINDOW_BYTES) {
            throw new IllegalArgumentException(
                    "Catch-up windows take between 1 byte and 512 MiB together, not " + windowBytes);
        }
        if (maxAheadWait.isNegative() || !heartbeat.isPositive()) {
            throw new IllegalArgumentException("max_ahead_wait is not negative and heartbeats are some time apart.");
        }
    }

    public StreamLimits withCatchUpThreshold(long events) {
        return new StreamLimits(batchEvents, batchBytes, events, windowBytes, maxAheadWait, heartbeat, retention);
    }

    public StreamLimits withWindowBytes(long bytes) {
        return new StreamLimits(batchEvents, batchBytes, catchUpThreshold, bytes, maxAheadWait, heartbeat, retention);
    }

    public StreamLimits withMaxAheadWait(Duration wait) {
        return new StreamLimits(batchEvents, batchBytes, catchUpThreshold, windowBytes, wait, heartbeat, retention);
    }

    public StreamLimits withHeartbeat(Duration interval) {
        return new StreamLimits(
                batchEvents, batchBytes, catchUpThreshold, windowBytes, maxAheadWait, interval, retention);
    }

    public StreamLimits withBatch(int events, int bytes) {
        return new StreamLimits(events, bytes, catchUpThreshold, windowBytes, maxAheadWait, heartbeat, retention);
    }

    public StreamLimits withRetention(Duration kept) {
        return new StreamLimits(batchEvents, batchBytes, catchUpThreshold, windowBytes, maxAheadWait, heartbeat, kept);
    }
}

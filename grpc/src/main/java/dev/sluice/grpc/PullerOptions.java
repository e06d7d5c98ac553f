package dev.sluice.grpc;

import dev.sluice.stream.StreamLimits;
import dev.sluice.stream.StreamMeter;
import java.time.Duration;

/**
 * How the Puller serves its consumers.
 *
 * @param maxConnections how many streams at a time; the next is refused
 * @param slowThreshold a consumer that lets us wait this long gets smaller batches
 * @param criticalThreshold one that lets us wait this long is paused, and operators are told
 * @param threads how many threads read logs for all consumers together
 * @param formBytes what documents in JSON, shared by all consumers, may take of the heap
 */
public record PullerOptions(
        StreamLimits limits,
        int maxConnections,
        Duration slowThreshold,
        Duration criticalThreshold,
        int threads,
        long formBytes,
        StreamMeter meter) {
    public static final PullerOptions DEFAULT = new PullerOptions(
            StreamLimits.DEFAULT,
            100,
            Duration.ofMillis(100),
            Duration.ofMillis(500),
            Math.clamp(Runtime.getRuntime().availableProcessors(), 2, 8),
            32L << 20,
            StreamMeter.NONE);

    public PullerOptions {
        if (maxConnections < 1 || threads < 1 || formBytes < 0) {
            throw new IllegalArgumentException("A Puller serves at least one consumer on at least one thread.");
        }
    }

    public PullerOptions withLimits(StreamLimits changed) {
        return new PullerOptions(changed, maxConnections, slowThreshold, criticalThreshold, threads, formBytes, meter);
    }

    public PullerOptions withMaxConnections(int most) {
        return new PullerOptions(limits, most, slowThreshold, criticalThreshold, threads, formBytes, meter);
    }

    public PullerOptions withThresholds(Duration slow, Duration critical) {
        return new PullerOptions(limits, maxConnections, slow, critical, threads, formBytes, meter);
    }

    public PullerOptions withMeter(StreamMeter told) {
        return new PullerOptions(limits, maxConnections, slowThreshold, criticalThreshold, threads, formBytes, told);
    }
}

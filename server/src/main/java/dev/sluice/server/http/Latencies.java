package dev.sluice.server.http;

import java.time.Duration;
import java.util.stream.LongStream;

/** The bounds by which times are sorted in every histogram, so that those of different roles can be compared. */
public final class Latencies {
    private Latencies() {}

    public static Duration[] buckets() {
        return LongStream.of(1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000, 30_000)
                .mapToObj(Duration::ofMillis)
                .toArray(Duration[]::new);
    }
}

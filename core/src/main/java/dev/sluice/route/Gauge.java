package dev.sluice.route;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** How a partition does, for those who watch. One thread writes. */
final class Gauge {
    private static final double WINDOW_SECONDS = 10;

    private volatile long sourceTime;
    private volatile long lastEvent;
    private volatile double rate;
    private volatile String trouble = "";
    private long ratedAt;
    private long counted;

    Gauge(long nanos) {
        this.ratedAt = nanos;
    }

    void read(int events, long newest, long source, long nanos) {
        sourceTime = source == 0 ? sourceTime : source;
        lastEvent = Math.max(lastEvent, newest);
        counted += events;
        double seconds = (nanos - ratedAt) / 1e9;
        if (seconds >= 1) {
            double weight = Math.min(1, seconds / WINDOW_SECONDS);
            rate = rate * (1 - weight) + counted / seconds * weight;
            counted = 0;
            ratedAt = nanos;
        }
        trouble = "";
    }

    void failed(String why) {
        trouble = why;
    }

    /** In words; empty when its events can be read. */
    String trouble() {
        return trouble;
    }

    Duration lag(Instant now) {
        long source = sourceTime;
        return source == 0 ? Duration.ZERO : Duration.ofMillis(Math.max(0, now.toEpochMilli() - source));
    }

    double rate() {
        return rate;
    }

    Optional<Instant> lastEvent() {
        return lastEvent == 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(lastEvent));
    }
}

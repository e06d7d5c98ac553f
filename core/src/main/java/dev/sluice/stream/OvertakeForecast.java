package dev.sluice.stream;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * When retention will take away what a consumer has not read yet, in one backend, if consumer and retention go on as
 * they have lately. All times are seconds of the source's clock.
 */
final class OvertakeForecast {
    private static final long OLDEST_SAMPLE = Duration.ofSeconds(10).toNanos();

    private record Sample(long nanos, long passed, long front) {}

    private final long retention;
    private @Nullable Sample before;
    private double consumerSpeed;
    private double frontSpeed;

    OvertakeForecast(Duration retention) {
        this.retention = retention.toSeconds();
    }

    /**
     * @param passed what the consumer got last
     * @param front what was evicted last
     * @param captured what the log got last
     */
    Optional<Duration> update(long nanos, long passed, long front, long captured) {
        measure(nanos, passed, front);
        if (passed >= captured) {
            return Optional.empty();
        }
        double byAge = secondsUntil(retention - (captured - passed), 1 - consumerSpeed);
        double bySize = secondsUntil(passed - front, frontSpeed - consumerSpeed);
        double soonest = Math.min(byAge, bySize);
        return Double.isInfinite(soonest) ? Optional.empty() : Optional.of(Duration.ofSeconds((long) soonest));
    }

    private void measure(long nanos, long passed, long front) {
        Sample sample = before;
        if (sample != null && nanos > sample.nanos) {
            double elapsed = (nanos - sample.nanos) / 1e9;
            consumerSpeed = (passed - sample.passed) / elapsed;
            frontSpeed = (front - sample.front) / elapsed;
        }
        if (sample == null || nanos - sample.nanos > OLDEST_SAMPLE) {
            before = new Sample(nanos, passed, front);
        }
    }

    private static double secondsUntil(double room, double closing) {
        return closing <= 0 ? Double.POSITIVE_INFINITY : Math.max(0, room) / closing;
    }
}

package dev.sluice.worker.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.ValueAtPercentile;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The durations of a worker as histograms; those of the handler also as quantiles of the last minutes. */
final class WorkerTimers {
    private static final double[] QUANTILES = {0.5, 0.95, 0.99};
    private static final Duration[] BUCKETS = {
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofMillis(2500),
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30)
    };

    private final Timer handlers;
    private final Timer updates;
    private final Timer handoffs;

    WorkerTimers(MeterRegistry registry, Tags tags) {
        handlers = Timer.builder(WorkerMetrics.PREFIX + "handler.latency")
                .description("Duration of one handler call")
                .tags(tags)
                .publishPercentiles(QUANTILES)
                .publishPercentileHistogram()
                .minimumExpectedValue(Duration.ofNanos(100_000))
                .maximumExpectedValue(Duration.ofMinutes(1))
                .register(registry);
        updates = Timer.builder(WorkerMetrics.PREFIX + "consumer.update.duration")
                .description("Duration of a creation or filter change of a consumer, failed ones included")
                .tags(tags)
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
        handoffs = Timer.builder(WorkerMetrics.PREFIX + "handoff.duration")
                .description("From the assignment that names another owner to the release of the partition")
                .tags(tags)
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
        for (double share : QUANTILES) {
            Gauge.builder(WorkerMetrics.PREFIX + "handler.latency.quantile.seconds", handlers, it -> of(it, share))
                    .description("Quantiles of handler_latency over the last minutes")
                    .tags(tags.and("quantile", Double.toString(share)))
                    .register(registry);
        }
    }

    Timer handlers() {
        return handlers;
    }

    Timer updates() {
        return updates;
    }

    Timer handoffs() {
        return handoffs;
    }

    private static double of(Timer timer, double share) {
        for (ValueAtPercentile one : timer.takeSnapshot().percentileValues()) {
            if (one.percentile() == share) {
                return one.value(TimeUnit.SECONDS);
            }
        }
        return 0;
    }
}

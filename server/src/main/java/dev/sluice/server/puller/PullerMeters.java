package dev.sluice.server.puller;

import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.log.Appended;
import dev.sluice.log.EventLog;
import dev.sluice.server.http.Latencies;
import dev.sluice.stream.ConsumerStatus;
import dev.sluice.stream.ConsumersView;
import dev.sluice.stream.SendPace;
import dev.sluice.stream.StreamMeter;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Every metric of the Puller, {@code sluice_puller_*}. They wrap: counters and positions that the components keep anyway
 * are read when Prometheus asks, and what takes time is measured by a decorator around it.
 */
final class PullerMeters {
    private static final String PREFIX = "sluice.puller.";
    private static final String BACKEND = "backend";

    private final MeterRegistry registry;

    PullerMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Told of each commit of one backend's log. */
    final class Commits {
        private final Timer latency;
        private final Counter repeats;

        Commits(String backend) {
            latency = timer(
                            "ingestion.latency",
                            "From the source's own time of a change to its commit here; per commit")
                    .tag(BACKEND, backend)
                    .register(registry);
            repeats = Counter.builder(PREFIX + "duplicates.dropped")
                    .description("Events that came again and were already in the log")
                    .tag(BACKEND, backend)
                    .register(registry);
        }

        void committed(Appended appended) {
            repeats.increment(appended.repeats());
            if (!appended.entries().isEmpty()) {
                var happened = appended.entries().getLast().event().timestamp();
                latency.record(Math.max(0, System.currentTimeMillis() - happened), TimeUnit.MILLISECONDS);
            }
        }
    }

    Commits ofCommits(String backend) {
        return new Commits(backend);
    }

    /** The log, with the time its checkpoints take to be on disk. */
    EventLog measured(String backend, EventLog log) {
        return new MeasuredLog(log, checkpointLatency("log", backend));
    }

    /** The mirror, with the time its saves take. */
    CheckpointStore measured(CheckpointStore mirror) {
        return new MeasuredCheckpoints(mirror, name -> checkpointLatency("mirror", name));
    }

    private Timer checkpointLatency(String where, String backend) {
        return timer("checkpoint.latency", "How long a checkpoint took to be safe")
                .tag("where", where)
                .tag(BACKEND, backend)
                .register(registry);
    }

    private static Timer.Builder timer(String name, String description) {
        return Timer.builder(PREFIX + name).description(description).serviceLevelObjectives(Latencies.buckets());
    }

    /** What the streams tell. */
    StreamMeter ofStreams() {
        var published = Counter.builder(PREFIX + "events.published")
                .description("Events sent, over all consumers")
                .register(registry);
        var wait = timer("publish.latency", "How long a consumer's connection let a batch wait")
                .register(registry);
        var errors = Counter.builder(PREFIX + "publish.errors")
                .description("Streams that ended otherwise than by their consumer")
                .register(registry);
        var size = DistributionSummary.builder(PREFIX + "batch.size")
                .description("Events per batch sent")
                .serviceLevelObjectives(1, 10, 100, 1000)
                .register(registry);
        backpressure(SendPace.Level.SLOW);
        backpressure(SendPace.Level.CRITICAL);
        return new StreamMeter() {
            @Override
            public void published(int events, long bytes, long waitedNanos) {
                published.increment(events);
                size.record(events);
                wait.record(waitedNanos, TimeUnit.NANOSECONDS);
            }

            @Override
            public void publishError() {
                errors.increment();
            }

            @Override
            public void backpressure(SendPace.Level level) {
                PullerMeters.this.backpressure(level).increment();
            }
        };
    }

    private Counter backpressure(SendPace.Level level) {
        return Counter.builder(PREFIX + "backpressure.events")
                .description("Times a consumer became this slow")
                .tag("level", level.name().toLowerCase(Locale.ROOT))
                .register(registry);
    }

    /** Reads what runs, whenever somebody asks. */
    void watch(List<BackendPipeline> backends, List<FailedBackend> failed, ConsumersView consumers) {
        backends.forEach(this::watch);
        failed.forEach(backend -> healthy(backend.name(), () -> 0));
        gauge("consumers", "Consumers connected", consumers, ConsumersView::size);
        gauge(
                "consumer.max.events.behind",
                "How far behind the furthest consumer is, about",
                consumers,
                view -> view.list().stream()
                        .mapToLong(ConsumerStatus::eventsBehind)
                        .max()
                        .orElse(0));
    }

    private void watch(BackendPipeline backend) {
        var counters = backend.capture().counters();
        count("events.ingested", "Events handed to the log, repeats included", backend, b -> counters.eventsIngested());
        count(
                "gaps.detected",
                "Times the source had lost changes not captured yet",
                backend,
                b -> counters.gapsDetected());
        count(
                "events.rescanned",
                "Events read again after the source did not know a token",
                backend,
                b -> counters.rescanned());
        count("reconnects", "Change streams opened after the first", backend, b -> counters.reconnects());
        count("connection.failures", "Failures of the source", backend, b -> counters.connectionFailures());
        count("stalls", "Times neither events nor positions came for max_gap", backend, b -> counters.stalls());
        count(
                "checkpoints.saved",
                "Checkpoints given to the log, and saved in the mirror",
                backend,
                b -> counters.checkpointsSaved());
        count("checkpoint.errors", "Checkpoints the mirror did not take", backend, b -> counters.checkpointErrors());
        count(
                "events.evicted",
                "Events retention took out of the log",
                backend,
                b -> b.retention().evictedEvents());
        count(
                "events.evicted.early",
                "Of these, before their age, because of max_size",
                backend,
                b -> b.retention().evictedEarly());
        gauge("log.events", "Events in the log", backend, b -> b.log().events());
        gauge(
                "log.size.bytes",
                "Records and keys in the log",
                backend,
                b -> b.log().bytes());
        gauge("queue.size", "Events read and not yet committed", backend, BackendPipeline::queued);
        gauge(
                "head.lag.seconds",
                "For how long changes may have happened that are not captured",
                backend,
                b -> b.capture().lag().toMillis() / 1000.0);
        gauge(
                "reply.wait.seconds",
                "For how long the source has been working on the reply that capture waits for",
                backend,
                b -> b.capture().waiting().toMillis() / 1000.0);
        healthy(backend.name(), () -> BackendHealth.of(backend).isHealthy() ? 1 : 0);
    }

    private void healthy(String backend, Supplier<Number> value) {
        Gauge.builder(PREFIX + "backend.healthy", value)
                .description("1 when healthy")
                .tag(BACKEND, backend)
                .strongReference(true)
                .register(registry);
    }

    private void count(
            String name, String description, BackendPipeline backend, ToDoubleFunction<BackendPipeline> value) {
        FunctionCounter.builder(PREFIX + name, backend, value)
                .description(description)
                .tag(BACKEND, backend.name())
                .register(registry);
    }

    private void gauge(
            String name, String description, BackendPipeline backend, ToDoubleFunction<BackendPipeline> value) {
        Gauge.builder(PREFIX + name, backend, value)
                .description(description)
                .tag(BACKEND, backend.name())
                .register(registry);
    }

    private <T> void gauge(String name, String description, T of, ToDoubleFunction<T> value) {
        Gauge.builder(PREFIX + name, of, value).description(description).register(registry);
    }
}

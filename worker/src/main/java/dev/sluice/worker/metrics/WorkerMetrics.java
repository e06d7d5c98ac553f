package dev.sluice.worker.metrics;

import dev.sluice.worker.LaneStatus;
import dev.sluice.worker.LaneStatus.Waiting;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.WorkerCounters;
import dev.sluice.worker.WorkerListener;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.WorkerStatus;
import dev.sluice.worker.migrate.MigrationStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Every metric of a worker, {@code sluice_worker_*}. Made before the worker and given to it as its listener; {@link #watch}
 * then names the worker whose status and counters are read. All values are 0 while no worker is watched.
 *
 * <p>Partitions have no series of their own, except the ten with the highest lag.
 */
public final class WorkerMetrics implements WorkerListener {
    static final String PREFIX = "sluice.worker.";

    private final Tags tags;
    private final WatchedWorker worker = new WatchedWorker();
    private final WorkerTimers timers;
    private final WorstPartitions worst;

    /** Registers every meter. Several workers of one process need different {@code tags}, such as their number. */
    public WorkerMetrics(MeterRegistry registry, WorkerSettings settings, Tags tags) {
        this.tags = tags;
        this.timers = new WorkerTimers(registry, tags);
        this.worst = new WorstPartitions(registry, tags);
        worker.onRead(status -> worst.show(status.lanes()));
        ofConsumers(registry, settings.maxSubjects() * settings.shards());
        ofHandling(registry);
        ofPartitions(registry);
    }

    public WorkerMetrics(MeterRegistry registry, WorkerSettings settings) {
        this(registry, settings, Tags.empty());
    }

    /** Reads this worker from now on, instead of an earlier one. */
    public void watch(Supplier<WorkerStatus> status, WorkerCounters counters) {
        worker.watch(status, counters);
    }

    private void ofConsumers(MeterRegistry registry, int subjectLimit) {
        counter(
                registry,
                "consumer.messages",
                "Deliveries received from JetStream, redeliveries included",
                it -> it.messages.sum());
        counter(
                registry,
                "consumer.redeliveries",
                "Deliveries of a message that was delivered before",
                it -> it.redeliveries.sum());
        gauge(
                registry,
                "consumer.inflight",
                "Messages not delivered yet plus messages delivered and not acknowledged",
                self -> self.counted(it -> it.pending.get() + it.unacknowledged.get()));
        gauge(
                registry,
                "consumer.subject.count",
                "Subjects in the filters of the worker's durable consumers",
                self -> self.told(WorkerStatus::subjects));
        gauge(
                registry,
                "consumer.subject.limit",
                "Subjects the worker's durable consumers may have (max_subjects times shards)",
                self -> subjectLimit);
        counter(
                registry,
                "consumer.update.failures",
                "Creations and filter changes of consumers that failed",
                it -> it.updateFailures.sum());
        counter(
                registry,
                "consumer.update.skipped",
                "Consumer updates not sent because the filters were as wanted already",
                it -> it.updatesSkipped.sum());
        counter(
                registry,
                "duplicate.subjects",
                "Subjects that occurred twice in a wanted filter list",
                it -> it.duplicateSubjects.sum());
        counter(
                registry,
                "stale.acks.dropped",
                "Deliveries of partitions this worker does not own (any more)",
                it -> it.staleAcksDropped.sum());
        counter(
                registry,
                "catch.up.messages",
                "Deliveries received from catch-up readers",
                it -> it.catchUpMessages.sum());
    }

    private void ofHandling(MeterRegistry registry) {
        counter(registry, "handled.messages", "Messages a handler finished", it -> it.handled.sum());
        counter(registry, "retries", "Handler calls that failed and are repeated", it -> it.retried.sum());
        counter(registry, "dead.letters", "Messages stored as dead letters", it -> it.deadLettered.sum());
        counter(registry, "gaps", "Times that messages after a cursor were gone from the stream", it -> it.gaps.sum());
        counter(
                registry,
                "listener.failures",
                "Calls of the worker's listener that threw",
                it -> it.listenerFailures.sum());
    }

    private void ofPartitions(MeterRegistry registry) {
        gauge(
                registry,
                "owned.partitions",
                "Partitions this worker owns",
                self -> self.told(it -> it.lanes().size()));
        gauge(
                registry,
                "partition.lag.max",
                "Unfinished messages of the partition with the most; partition_lag has the worst ten",
                self -> self.told(it ->
                        it.lanes().stream().mapToLong(LaneStatus::lag).max().orElse(0)));
        for (Waiting reason : Waiting.values()) {
            if (reason != Waiting.NO) {
                Gauge.builder(PREFIX + "waiting.partitions", worker, self -> self.told(waitingFor(reason)))
                        .description("Partitions that handle nothing at the moment, by reason")
                        .tags(tags.and("reason", reason.name().toLowerCase(Locale.ROOT)))
                        .strongReference(true)
                        .register(registry);
            }
        }
        gauge(
                registry,
                "migration.phase",
                "Last change of the consumer mode by a migration: 0 none, 1 shadow, 2 burn-in, 3 done, 4 rolled back",
                self -> self.told(WorkerMetrics::phase));
        gauge(
                registry,
                "problems",
                "Problems listed in the worker's status",
                self -> self.told(it -> it.problems().size()));
    }

    private static double phase(WorkerStatus status) {
        MigrationStatus last = status.migration();
        return last == null
                ? 0
                : switch (last.migration().phase()) {
                    case SHADOW -> 1;
                    case BURN_IN -> 2;
                    case DONE -> 3;
                    case ROLLED_BACK -> 4;
                };
    }

    private static ToDoubleFunction<WorkerStatus> waitingFor(Waiting reason) {
        return status ->
                status.lanes().stream().filter(lane -> lane.waiting() == reason).count();
    }

    private void gauge(MeterRegistry registry, String name, String description, ToDoubleFunction<WatchedWorker> value) {
        Gauge.builder(PREFIX + name, worker, value)
                .description(description)
                .tags(tags)
                .strongReference(true)
                .register(registry);
    }

    /** The registry refers weakly to what a counter reads; the function captures the worker, which keeps it alive. */
    private void counter(
            MeterRegistry registry, String name, String description, ToLongFunction<WorkerCounters> value) {
        FunctionCounter.builder(PREFIX + name, this, self -> worker.counted(value))
                .description(description)
                .tags(tags)
                .register(registry);
    }

    @Override
    public void updateTook(Duration time, boolean ok) {
        timers.updates().record(time);
    }

    @Override
    public void handled(Duration time, Outcome outcome) {
        timers.handlers().record(time);
    }

    @Override
    public void handoffTook(Duration time) {
        timers.handoffs().record(time);
    }
}

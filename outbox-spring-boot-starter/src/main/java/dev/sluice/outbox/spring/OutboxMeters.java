package dev.sluice.outbox.spring;

import dev.sluice.outbox.OutboxRelay;
import dev.sluice.outbox.relay.PartitionStatus.Breaker;
import dev.sluice.outbox.relay.RelayCounters;
import dev.sluice.outbox.relay.RelayStatus;
import dev.sluice.outbox.table.Backlog;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Every metric of the outbox, {@code sluice_outbox_*}, by the names that {@code sluice run --role outbox} has too, read from the
 * relay when somebody asks. What waits in the tables is the same on every node; the rest is this node's.
 */
final class OutboxMeters implements MeterBinder {
    private static final String PREFIX = "sluice.outbox.";
    private static final List<Double> QUANTILES = List.of(0.5, 0.95, 0.99);

    private final RelayLifecycle lifecycle;
    private final int partitions;

    OutboxMeters(RelayLifecycle lifecycle, int partitions) {
        this.lifecycle = lifecycle;
        this.partitions = partitions;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        new Binding(registry).all();
    }

    /** One registry's meters. */
    private final class Binding {
        private final MeterRegistry registry;

        Binding(MeterRegistry registry) {
            this.registry = registry;
        }

        void all() {
            ofNodes();
            ofSending();
            ofTrouble();
            for (int partition = 0; partition < partitions; partition++) {
                ofPartition(partition);
            }
            pending(null, Tags.of("partition", "none"));
            QUANTILES.forEach(this::quantile);
        }

        private void ofNodes() {
            gauge("active.nodes", "Nodes alive", it -> it.members().members().size());
            gauge(
                    "owned.partitions",
                    "Partitions this node sends",
                    it -> it.members().owned().size());
            gauge(
                    "claims",
                    "How many parts the partitions are shared out in",
                    it -> it.members().partitions());
            gauge(
                    "partitions.without.owner",
                    "Partitions nobody sends; the leader knows",
                    it -> it.members().withoutOwner().size());
            gauge(
                    "registry.away.seconds",
                    "How long the registry has not answered",
                    it -> seconds(it.members().storeAwayFor()));
            count(
                    "lock.contention",
                    "Attempts at a partition at which another was faster",
                    it -> it.contention().failedClaims());
            count(
                    "partitions.taken",
                    "Partitions this node took",
                    it -> it.contention().claims());
            count(
                    "partitions.lost",
                    "Partitions lost without a handoff",
                    it -> it.contention().losses());
            count(
                    "rebalances",
                    "Assignments this node wrote as leader",
                    it -> it.contention().rebalances());
        }

        private void ofSending() {
            FunctionTimer.builder(
                            PREFIX + "processing.latency",
                            lifecycle,
                            it -> (long) counted(it, all -> all.latency().count()),
                            it -> counted(it, all -> all.latency().total().toNanos()),
                            TimeUnit.NANOSECONDS)
                    .description("From a message's creation to its acknowledgement")
                    .register(registry);
            counter("batches", "Batches sent", Tags.empty(), RelayCounters::batches);
            counter("wake.ups", "Times the relay was told of new messages", Tags.empty(), RelayCounters::wakeUps);
            gauge("listening", "1 when the database tells of new messages", it -> it.listening() ? 1 : 0);
        }

        private void ofTrouble() {
            counter("keys.parked", "Times a key began to wait", Tags.empty(), RelayCounters::parked);
            counter("dead.letters", "Messages this node gave up", Tags.empty(), RelayCounters::dead);
            gauge("parked.keys", "Keys that wait", it -> waiting(it, Backlog::parked));
            gauge("dead.events", "Messages in outbox_dead", it -> waiting(it, Backlog::dead));
            counter("sink.failures", "Times the receiver took nothing", Tags.empty(), RelayCounters::sinkFailures);
            counter("database.failures", "Times the database failed", Tags.empty(), RelayCounters::databaseFailures);
            counter("fenced", "Writes refused because another has the partition", Tags.empty(), RelayCounters::fenced);
            gauge("breaker.open", "Partitions whose receiver takes nothing", OutboxMeters::open);
            gauge(
                    "hot.keys",
                    "Keys that make much of a partition",
                    it -> it.hotKeys().size());
        }

        private void ofPartition(int partition) {
            Tags tags = Tags.of("partition", Integer.toString(partition));
            counter("events", "Messages sent", tags, it -> it.sentByPartition().getOrDefault(partition, 0L));
            pending(partition, tags);
        }

        private void pending(@Nullable Integer partition, Tags tags) {
            gauge("pending.events", "Messages that wait", tags, it -> waiting(it, all -> rows(all, partition)));
            gauge(
                    "oldest.pending.seconds",
                    "How long the oldest waits",
                    tags,
                    it -> waiting(it, all -> age(all, partition)));
        }

        private void quantile(double share) {
            Gauge.builder(
                            PREFIX + "processing.latency.quantile.seconds",
                            lifecycle,
                            it -> counted(it, all -> seconds(all.latency().percentile(share))))
                    .description("Of processing_latency, since the start")
                    .tag("quantile", Double.toString(share))
                    .register(registry);
        }

        private void gauge(String name, String description, ToDoubleFunction<RelayStatus> value) {
            gauge(name, description, Tags.empty(), value);
        }

        private void gauge(String name, String description, Tags tags, ToDoubleFunction<RelayStatus> value) {
            Gauge.builder(PREFIX + name, lifecycle, it -> told(it, value))
                    .description(description)
                    .tags(tags)
                    .register(registry);
        }

        private void count(String name, String description, ToDoubleFunction<RelayStatus> value) {
            FunctionCounter.builder(PREFIX + name, lifecycle, it -> told(it, value))
                    .description(description)
                    .register(registry);
        }

        private void counter(String name, String description, Tags tags, ToDoubleFunction<RelayCounters> value) {
            FunctionCounter.builder(PREFIX + name, lifecycle, it -> counted(it, value))
                    .description(description)
                    .tags(tags)
                    .register(registry);
        }
    }

    private static double told(RelayLifecycle lifecycle, ToDoubleFunction<RelayStatus> value) {
        return lifecycle
                .relay()
                .map(OutboxRelay::status)
                .map(value::applyAsDouble)
                .orElse(0.0);
    }

    private static double counted(RelayLifecycle lifecycle, ToDoubleFunction<RelayCounters> value) {
        return lifecycle
                .relay()
                .map(OutboxRelay::counters)
                .map(value::applyAsDouble)
                .orElse(0.0);
    }

    private static double waiting(RelayStatus status, ToDoubleFunction<Backlog> value) {
        return status.backlog().map(value::applyAsDouble).orElse(0.0);
    }

    private static double open(RelayStatus status) {
        return status.partitions().stream()
                .filter(each -> each.breaker() != Breaker.CLOSED)
                .count();
    }

    private static double rows(Backlog backlog, @Nullable Integer partition) {
        return backlog.partitions().stream()
                .filter(each -> Objects.equals(each.partition(), partition))
                .mapToLong(Backlog.OfPartition::rows)
                .sum();
    }

    private static double age(Backlog backlog, @Nullable Integer partition) {
        return backlog.partitions().stream()
                .filter(each -> Objects.equals(each.partition(), partition))
                .mapToDouble(each -> Math.max(0, seconds(Duration.between(each.oldest(), Instant.now()))))
                .max()
                .orElse(0);
    }

    private static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }
}

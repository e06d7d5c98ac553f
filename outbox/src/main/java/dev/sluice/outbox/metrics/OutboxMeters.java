package dev.sluice.outbox.metrics;

import dev.sluice.outbox.OutboxRelay;
import dev.sluice.outbox.relay.PartitionStatus;
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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Every metric of an outbox relay, {@code sluice_outbox_*}, inside an application and on its own: read from what the relay
 * counts anyway, when somebody asks. What waits in the tables is the same on all nodes; the rest is this node's.
 */
public final class OutboxMeters implements MeterBinder {
    private static final String PREFIX = "sluice.outbox.";
    private static final List<Double> QUANTILES = List.of(0.5, 0.95, 0.99);

    private final Supplier<Optional<RelayStatus>> status;
    private final Supplier<Optional<RelayCounters>> counters;
    private final PendingRows pending;
    private final int partitions;

    /** @param relay absent while it starts or stops: all is 0 meanwhile */
    public OutboxMeters(Supplier<Optional<OutboxRelay>> relay, int partitions) {
        this(() -> relay.get().map(OutboxRelay::status), () -> relay.get().map(OutboxRelay::counters), partitions);
    }

    /** @param partitions how many the writers count: each has series of its own */
    public OutboxMeters(
            Supplier<Optional<RelayStatus>> status, Supplier<Optional<RelayCounters>> counters, int partitions) {
        this.status = status;
        this.counters = counters;
        this.partitions = partitions;
        this.pending = new PendingRows(() -> status.get().flatMap(RelayStatus::backlog), partitions);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        ofNodes(registry);
        ofSending(registry);
        ofTrouble(registry);
        for (int partition = 0; partition < partitions; partition++) {
            ofPartition(registry, partition);
        }
        waiting(registry, PendingRows.NONE, Tags.of("partition", "none"));
        QUANTILES.forEach(share -> quantile(registry, share));
    }

    private void ofNodes(MeterRegistry registry) {
        gauge(
                registry,
                "active.nodes",
                "Relays of this outbox alive, as this one sees it",
                it -> it.members().members().size());
        gauge(
                registry,
                "owned.partitions",
                "Partitions this node sends",
                it -> it.members().owned().size());
        gauge(
                registry,
                "claims",
                "How many parts the partitions are shared out in; 1 is the global lock",
                it -> it.members().partitions());
        gauge(
                registry,
                "partitions.without.owner",
                "Partitions nobody sends; the leader knows, others say 0",
                it -> it.members().withoutOwner().size());
        gauge(
                registry,
                "registry.away.seconds",
                "How long the node registry has not answered; 0 when it does",
                it -> seconds(it.members().storeAwayFor()));
        count(
                registry,
                "lock.contention",
                "Attempts at a partition at which another node was faster",
                it -> it.contention().failedClaims());
        count(
                registry,
                "partitions.taken",
                "Partitions this node took",
                it -> it.contention().claims());
        count(
                registry,
                "partitions.lost",
                "Partitions this node lost without a handoff",
                it -> it.contention().losses());
        count(
                registry,
                "rebalances",
                "Assignments of partitions this node wrote as leader",
                it -> it.contention().rebalances());
    }

    private void ofSending(MeterRegistry registry) {
        FunctionTimer.builder(
                        PREFIX + "processing.latency",
                        this,
                        self -> (long) counted(all -> all.latency().count()),
                        self -> counted(all -> all.latency().total().toNanos()),
                        TimeUnit.NANOSECONDS)
                .description("From a message's creation to its acknowledgement by the receiver")
                .register(registry);
        counter(registry, "batches", "Batches given to the receiver", RelayCounters::batches);
        counter(
                registry,
                "wake.ups",
                "Times the relay was told of new messages, here or by the database",
                RelayCounters::wakeUps);
        gauge(
                registry,
                "listening",
                "1 when the database tells this node of new messages",
                it -> it.listening() ? 1 : 0);
    }

    private void ofTrouble(MeterRegistry registry) {
        counter(
                registry,
                "keys.parked",
                "Times a key began to wait because a message of it failed",
                RelayCounters::parked);
        counter(
                registry,
                "topics.blocked",
                "Times a topic of a partition began to take nothing",
                RelayCounters::topicsBlocked);
        gauge(
                registry,
                "blocked.topics",
                "Topics that take nothing, as this node sees it",
                it -> it.blockedTopics().size());
        counter(registry, "dead.letters", "Messages this node gave up", RelayCounters::dead);
        gauge(
                registry,
                "parked.keys",
                "Keys that wait, of all nodes",
                it -> it.backlog().map(Backlog::parked).orElse(0L));
        gauge(
                registry,
                "dead.events",
                "Messages in outbox_dead",
                it -> it.backlog().map(Backlog::dead).orElse(0L));
        counter(registry, "sink.failures", "Times the receiver took nothing", RelayCounters::sinkFailures);
        counter(
                registry,
                "database.failures",
                "Times the database did not do what was asked",
                RelayCounters::databaseFailures);
        counter(registry, "fenced", "Writes refused because another node has the partition", RelayCounters::fenced);
        gauge(
                registry,
                "breaker.open",
                "Partitions of this node whose receiver takes nothing",
                it -> it.partitions().stream()
                        .filter(one -> one.breaker() != PartitionStatus.Breaker.CLOSED)
                        .count());
        gauge(
                registry,
                "receiver.away",
                "1 when the receiver does not answer, asked every few seconds",
                it -> it.receiverTrouble().isEmpty() ? 0 : 1);
        gauge(
                registry,
                "hot.keys",
                "Keys that make much of a partition's messages",
                it -> it.hotKeys().size());
    }

    private void ofPartition(MeterRegistry registry, int partition) {
        Tags tags = Tags.of("partition", Integer.toString(partition));
        FunctionCounter.builder(
                        PREFIX + "events",
                        this,
                        self -> counted(all -> all.sentByPartition().getOrDefault(partition, 0L)))
                .description("Messages sent by this node")
                .tags(tags)
                .register(registry);
        waiting(registry, partition, tags);
    }

    private void waiting(MeterRegistry registry, int partition, Tags tags) {
        Gauge.builder(PREFIX + "pending.events", () -> pending.rows(partition))
                .description("Messages committed and not sent, of all nodes; a few seconds old")
                .tags(tags)
                .register(registry);
        Gauge.builder(PREFIX + "oldest.pending.seconds", () -> seconds(pending.age(partition)))
                .description("How long the oldest of them has waited")
                .tags(tags)
                .register(registry);
    }

    private void quantile(MeterRegistry registry, double share) {
        Gauge.builder(
                        PREFIX + "processing.latency.quantile.seconds",
                        this,
                        self -> counted(all -> seconds(all.latency().percentile(share))))
                .description("Of processing_latency, since the start")
                .tag("quantile", Double.toString(share))
                .register(registry);
    }

    /** What a meter is of it holds weakly; the function holds this strongly, so that nobody else has to. */
    private void gauge(MeterRegistry registry, String name, String description, ToDoubleFunction<RelayStatus> value) {
        Gauge.builder(PREFIX + name, this, self -> told(value))
                .description(description)
                .register(registry);
    }

    private void count(MeterRegistry registry, String name, String description, ToDoubleFunction<RelayStatus> value) {
        FunctionCounter.builder(PREFIX + name, this, self -> told(value))
                .description(description)
                .register(registry);
    }

    private void counter(
            MeterRegistry registry, String name, String description, ToDoubleFunction<RelayCounters> value) {
        FunctionCounter.builder(PREFIX + name, this, self -> counted(value))
                .description(description)
                .register(registry);
    }

    private double told(ToDoubleFunction<RelayStatus> value) {
        return status.get().map(value::applyAsDouble).orElse(0.0);
    }

    private double counted(ToDoubleFunction<RelayCounters> value) {
        return counters.get().map(value::applyAsDouble).orElse(0.0);
    }

    private static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }
}

package dev.sluice.server.outbox;

import dev.sluice.coordinate.GroupStatus;
import dev.sluice.outbox.relay.PartitionStatus;
import dev.sluice.outbox.relay.RelayCounters;
import dev.sluice.outbox.relay.RelayStatus;
import dev.sluice.outbox.table.Backlog;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Every metric of the outbox relay, {@code sluice_outbox_*}: read from what the relay counts anyway, when Prometheus asks.
 * Those labelled with a partition are of this node; what waits in the tables is the same on all nodes.
 */
final class OutboxMeters {
    private static final String PREFIX = "sluice.outbox.";
    private static final String PARTITION = "partition";
    private static final Map<String, Double> QUANTILES = Map.of("0.5", 0.5, "0.95", 0.95, "0.99", 0.99);

    private final MeterRegistry registry;
    private final Supplier<RelayStatus> status;
    private final RelayCounters counters;
    private final MultiGauge pending;
    private final MultiGauge oldest;
    private final MultiGauge quantiles;
    private final Set<Integer> counted = ConcurrentHashMap.newKeySet();

    OutboxMeters(MeterRegistry registry, Supplier<RelayStatus> status, RelayCounters counters) {
        this.registry = registry;
        this.status = status;
        this.counters = counters;
        this.pending = multi("pending.events", "Messages committed and not sent, of all nodes; a few seconds old");
        this.oldest = multi("oldest.pending.seconds", "How long the oldest of them has waited");
        this.quantiles = multi("processing.latency.quantile.seconds", "Of processing_latency, since the start");
        ofNodes();
        ofSending();
        ofTrouble();
    }

    private MultiGauge multi(String name, String description) {
        return MultiGauge.builder(PREFIX + name).description(description).register(registry);
    }

    private void ofNodes() {
        gauge(
                "active.nodes",
                "Relays of this outbox alive, as this one sees it",
                it -> it.members().members().size());
        gauge(
                "owned.partitions",
                "Partitions this node sends",
                it -> it.members().owned().size());
        gauge(
                "claims",
                "How many parts the partitions are shared out in; 1 is the global lock",
                it -> it.members().partitions());
        gauge(
                "partitions.without.owner",
                "Partitions nobody sends; the leader knows, others say 0",
                it -> it.members().withoutOwner().size());
        gauge(
                "registry.away.seconds",
                "How long the node registry has not answered; 0 when it does",
                it -> seconds(it.members()));
        count(
                "lock.contention",
                "Attempts at a partition at which another node was faster",
                it -> it.contention().failedClaims());
        count(
                "partitions.taken",
                "Partitions this node took",
                it -> it.contention().claims());
        count(
                "partitions.lost",
                "Partitions this node lost without a handoff",
                it -> it.contention().losses());
        count(
                "rebalances",
                "Assignments of partitions this node wrote as leader",
                it -> it.contention().rebalances());
    }

    private void ofSending() {
        FunctionTimer.builder(
                        PREFIX + "processing.latency",
                        counters,
                        it -> it.latency().count(),
                        it -> it.latency().total().toNanos(),
                        TimeUnit.NANOSECONDS)
                .description("From a message's creation to its acknowledgement by the receiver")
                .register(registry);
        counter("batches", "Batches given to the receiver", RelayCounters::batches);
        counter(
                "wake.ups",
                "Times the relay was told of new messages, here or by the database",
                RelayCounters::wakeUps);
        gauge("listening", "1 when the database tells this node of new messages", it -> it.listening() ? 1 : 0);
    }

    private void ofTrouble() {
        counter("keys.parked", "Times a key began to wait because a message of it failed", RelayCounters::parked);
        counter("dead.letters", "Messages this node gave up", RelayCounters::dead);
        gauge(
                "parked.keys",
                "Keys that wait, of all nodes",
                it -> it.backlog().map(Backlog::parked).orElse(0L));
        gauge(
                "dead.events",
                "Messages in outbox_dead",
                it -> it.backlog().map(Backlog::dead).orElse(0L));
        counter("sink.failures", "Times the receiver took nothing", RelayCounters::sinkFailures);
        counter("database.failures", "Times the database did not do what was asked", RelayCounters::databaseFailures);
        counter("fenced", "Writes refused because another node has the partition", RelayCounters::fenced);
        gauge(
                "breaker.open",
                "Partitions of this node whose receiver takes nothing",
                it -> it.partitions().stream()
                        .filter(one -> one.breaker() != PartitionStatus.Breaker.CLOSED)
                        .count());
        gauge(
                "hot.keys",
                "Keys that make much of a partition's messages",
                it -> it.hotKeys().size());
    }

    /** What comes and goes with partitions: to be called before the registry is read. */
    void refresh() {
        var backlog = status.get().backlog();
        pending.register(
                backlog.stream()
                        .flatMap(all -> all.partitions().stream())
                        .map(one -> Row.of(tags(one), one.rows()))
                        .toList(),
                true);
        oldest.register(
                backlog.stream()
                        .flatMap(all -> all.partitions().stream())
                        .map(one -> Row.of(tags(one), OutboxReport.age(one)))
                        .toList(),
                true);
        quantiles.register(
                QUANTILES.entrySet().stream()
                        .map(each -> Row.of(
                                Tags.of("quantile", each.getKey()),
                                counters.latency().percentile(each.getValue()).toNanos() / 1e9))
                        .toList(),
                true);
        counters.sentByPartition().keySet().stream().filter(counted::add).forEach(this::countOf);
    }

    /** A partition once counted stays: another node's count goes on when this one's ends. */
    private void countOf(Integer partition) {
        FunctionCounter.builder(
                        PREFIX + "events", counters, it -> it.sentByPartition().getOrDefault(partition, 0L))
                .description("Messages sent by this node")
                .tag(PARTITION, String.valueOf(partition))
                .register(registry);
    }

    private static Tags tags(Backlog.OfPartition one) {
        return Tags.of(PARTITION, one.partition() == null ? "none" : String.valueOf(one.partition()));
    }

    private static double seconds(GroupStatus members) {
        return members.storeAwayFor().toNanos() / 1e9;
    }

    private void gauge(String name, String description, ToDoubleFunction<RelayStatus> value) {
        Gauge.builder(PREFIX + name, status, it -> value.applyAsDouble(it.get()))
                .description(description)
                .register(registry);
    }

    private void count(String name, String description, ToDoubleFunction<RelayStatus> value) {
        FunctionCounter.builder(PREFIX + name, status, it -> value.applyAsDouble(it.get()))
                .description(description)
                .register(registry);
    }

    private void counter(String name, String description, ToDoubleFunction<RelayCounters> value) {
        FunctionCounter.builder(PREFIX + name, counters, value)
                .description(description)
                .register(registry);
    }
}

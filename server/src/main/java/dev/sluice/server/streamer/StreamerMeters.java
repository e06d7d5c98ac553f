package dev.sluice.server.streamer;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Group;
import dev.sluice.deliver.Deliverers;
import dev.sluice.lane.LaneCounters.Backpressure;
import dev.sluice.lane.LaneStatus;
import dev.sluice.route.StreamerCounters;
import dev.sluice.route.StreamerStatus;
import dev.sluice.server.http.Latencies;
import dev.sluice.subscribe.SubscriptionEnd;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

/**
 * Every metric of the Streamer, {@code sluice_streamer_*}. They wrap: counters that the components keep anyway are read when
 * Prometheus asks, and what takes time is measured by a decorator around it.
 */
final class StreamerMeters {
    private static final String PREFIX = "sluice.streamer.";
    private static final String GATEWAY = "gateway";
    private static final String PARTITION = "partition";

    /** Of what waits for nobody: the usual bounds begin where this ends. */
    private static final Duration[] SHORT_TIMES = LongStream.of(
                    10, 25, 50, 100, 250, 500, 1_000, 5_000, 25_000, 100_000, 1_000_000)
            .mapToObj(micros -> Duration.ofNanos(micros * 1_000))
            .toArray(Duration[]::new);

    private final MeterRegistry registry;
    private final MultiGauge queues;
    private final MultiGauge gatewayLags;
    private final MultiGauge sideGroups;
    private final MultiGauge stuck;
    private final MultiGauge breakers;
    private final MultiGauge lags;
    private final MultiGauge healths;
    private final Map<String, List<Meter>> backpressure = new HashMap<>();

    StreamerMeters(MeterRegistry registry) {
        this.registry = registry;
        this.queues = multi("queue.size", "Matches that wait in memory for this gateway");
        this.gatewayLags = multi(
                "gateway.lag.seconds",
                "Age of the oldest change this gateway is owed and has not acknowledged; 0 when there is none");
        this.sideGroups = multi(
                "side.groups",
                "Groups of this gateway's subscriptions that are behind and are read apart from its others");
        this.stuck = multi(
                "stuck.subscriptions",
                "Subscriptions that this gateway keeps answering later, delivered apart; once for each partition");
        this.breakers = multi("gateway.breaker.open", "1 while this gateway is sent nothing but probes");
        this.lags = multi("partition.lag.seconds", "How far this partition is behind the slowest source");
        this.healths = multi("partition.health", "1 for the status this partition has");
    }

    private MultiGauge multi(String name, String description) {
        return MultiGauge.builder(PREFIX + name).description(description).register(registry);
    }

    Deliverers measured(Deliverers inner) {
        var latency = timer("delivery.latency", "From sending a batch to the gateway's answer, or none; per attempt");
        return gateway -> new MeasuredDeliverer(inner.to(gateway), latency);
    }

    CoordinationStore measured(CoordinationStore inner) {
        return new MeasuredStore(
                inner, timer("checkpoint.latency", "How long a position took to be safe"), checkpointErrors());
    }

    Counter checkpointErrors() {
        return Counter.builder(PREFIX + "checkpoint.errors")
                .description("Positions of partitions that the store, or their mirror, did not answer for")
                .register(registry);
    }

    private Timer timer(String name, String description) {
        return Timer.builder(PREFIX + name)
                .description(description)
                .serviceLevelObjectives(Latencies.buckets())
                .register(registry);
    }

    /** Reads what runs, whenever somebody asks. */
    void watch(StreamerRole role) {
        var counters = role.streamer().counters();
        ofRouting(counters);
        ofDelivery(counters);
        ofRecovery(counters, role.group());
        ofSubscriptions(role);
    }

    private void ofRouting(StreamerCounters counters) {
        var latency = Timer.builder(PREFIX + "routing.latency")
                .description("Matching an event and handing its matches to their lanes; per event")
                .serviceLevelObjectives(SHORT_TIMES)
                .register(registry);
        counters.measureRouting(nanos -> latency.record(nanos, TimeUnit.NANOSECONDS));
        count("events.routed", "Matches handed to lanes", counters, StreamerCounters::routed);
        count("matches", "Subscriptions that events answered", counters, StreamerCounters::matches);
        count(
                "unmatchable.events",
                "Events that are no BSON: nobody was told",
                counters,
                StreamerCounters::unmatchable);
        count(
                "caught.up",
                "Times a class or a subscription came back to the head",
                counters,
                StreamerCounters::caughtUp);
    }

    /** Registered when its gateway is first seen, and removed when that is gone. */
    private void backpressure(Set<String> gateways, StreamerCounters counters) {
        for (var gateway : gateways) {
            backpressure.computeIfAbsent(
                    gateway,
                    fresh -> Backpressure.LEVELS.stream()
                            .<Meter>map(level -> backpressure(new Backpressure(fresh, level), counters))
                            .toList());
        }
        backpressure.entrySet().removeIf(each -> {
            var gone = !gateways.contains(each.getKey());
            if (gone) {
                each.getValue().forEach(registry::remove);
            }
            return gone;
        });
    }

    private Meter backpressure(Backpressure cause, StreamerCounters counters) {
        return FunctionCounter.builder(PREFIX + "backpressure.events", counters, it -> it.backpressure(cause))
                .description("Times a class of a gateway's lane fell behind to a position, and why")
                .tag(GATEWAY, label(cause.gateway()))
                .tag("level", cause.level())
                .register(registry);
    }

    /** Gateways that never registered, or are gone, share one label: their names come from subscriptions. */
    private static String label(String gateway) {
        return gateway.isEmpty() ? "unknown" : gateway;
    }

    private void ofDelivery(StreamerCounters counters) {
        count("batches.delivered", "Batches a gateway took, wholly or in part", counters, StreamerCounters::batches);
        count("delivery.success", "Matches a gateway took", counters, StreamerCounters::delivered);
        count("delivery.errors", "Attempts that failed", counters, StreamerCounters::failures);
        count("delivery.retries", "Attempts that were not the first", counters, StreamerCounters::retries);
        count("dlq.events", "Matches that became dead letters", counters, StreamerCounters::deadLetters);
        count("fenced", "Times a gateway knew a newer owner of a partition", counters, StreamerCounters::fenced);
    }

    private void ofRecovery(StreamerCounters counters, Group group) {
        FunctionCounter.builder(
                        PREFIX + "checkpoints.saved", group, it -> it.counters().saves())
                .description("Positions of partitions that are safe")
                .register(registry);
        count("partition.restarts", "Times a partition's reading began again", counters, StreamerCounters::restarts);
        count("gaps.detected", "Times changes were missing", counters, StreamerCounters::gaps);
        count("rescan.events", "Events read again for those that were behind", counters, StreamerCounters::reread);
        count("resyncs", "Subscriptions told to read the current state", counters, StreamerCounters::resyncs);
        count(
                "matches.dropped",
                "Matches on their way when their subscription ended",
                counters,
                StreamerCounters::dropped);
    }

    private void ofSubscriptions(StreamerRole role) {
        gauge(
                "subscriptions",
                "Subscriptions there are",
                role,
                it -> it.subscriptions().size());
        gauge(
                "gateways",
                "Gateways that are known, up or away",
                role,
                it -> it.gateways().size());
        gauge(
                "dead.letters",
                "Dead letters that are kept",
                role,
                it -> it.deadLetters().count());
        gauge(
                "tail.events",
                "Events at the end of the logs that are kept in memory, over all partitions",
                role,
                it -> it.streamer().status().partitions().stream()
                        .mapToInt(StreamerStatus.OfPartition::remembered)
                        .sum());
        FunctionCounter.builder(PREFIX + "dead.letters.purged", role, StreamerRole::purgedDeadLetters)
                .description("Dead letters removed because they were older than max_age")
                .register(registry);
        for (var why : SubscriptionEnd.values()) {
            FunctionCounter.builder(
                            PREFIX + "subscriptions.ended",
                            role,
                            it -> it.subscriptions().counters().ended(why))
                    .description("Subscriptions that are no more, and why")
                    .tag("why", why.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
    }

    /** What comes and goes with gateways and partitions: to be called before the registry is read. */
    synchronized void refresh(StreamerStatus status, StreamerCounters counters) {
        refreshGateways(status.lanes(), counters);
        queues.register(
                status.lanes().stream()
                        .map(lane -> Row.of(
                                Tags.of(GATEWAY, lane.gatewayId()),
                                lane.queued().values().stream()
                                        .mapToInt(Integer::intValue)
                                        .sum()))
                        .toList(),
                true);
        lags.register(
                status.partitions().stream()
                        .map(one -> Row.of(
                                Tags.of(PARTITION, String.valueOf(one.id())),
                                one.lag().toMillis() / 1000.0))
                        .toList(),
                true);
        healths.register(
                status.partitions().stream()
                        .flatMap(one -> Arrays.stream(StreamerStatus.Health.values())
                                .map(health -> Row.of(
                                        Tags.of(PARTITION, String.valueOf(one.id()), "status", health.text()),
                                        one.health() == health ? 1 : 0)))
                        .toList(),
                true);
    }

    private void refreshGateways(List<LaneStatus> lanes, StreamerCounters counters) {
        var known = new TreeMap<String, GatewayFigures>();
        for (var lane : lanes) {
            known.merge(lane.isKnown() ? lane.gatewayId() : "", GatewayFigures.of(lane), GatewayFigures::and);
        }
        register(gatewayLags, known, each -> each.lag().toMillis() / 1000.0);
        register(sideGroups, known, GatewayFigures::sideGroups);
        register(stuck, known, GatewayFigures::stuck);
        breakers.register(
                lanes.stream()
                        .filter(LaneStatus::isKnown)
                        .map(lane -> Row.of(Tags.of(GATEWAY, lane.gatewayId()), lane.isBroken() ? 1 : 0))
                        .toList(),
                true);
        var counted = new HashSet<>(known.keySet());
        counted.add("");
        backpressure(counted, counters);
    }

    /** @param lag of the gateway that is furthest behind, where several share a label */
    private record GatewayFigures(Duration lag, long sideGroups, long stuck) {
        private static GatewayFigures of(LaneStatus lane) {
            return new GatewayFigures(lane.lag(), GroupsBehind.side(lane), GroupsBehind.stuck(lane));
        }

        private GatewayFigures and(GatewayFigures other) {
            return new GatewayFigures(
                    lag.compareTo(other.lag) > 0 ? lag : other.lag, sideGroups + other.sideGroups, stuck + other.stuck);
        }
    }

    private static void register(
            MultiGauge gauge, Map<String, GatewayFigures> known, ToDoubleFunction<GatewayFigures> figure) {
        gauge.register(
                known.entrySet().stream()
                        .map(each ->
                                Row.of(Tags.of(GATEWAY, label(each.getKey())), figure.applyAsDouble(each.getValue())))
                        .toList(),
                true);
    }

    private void count(
            String name, String description, StreamerCounters counters, ToDoubleFunction<StreamerCounters> value) {
        FunctionCounter.builder(PREFIX + name, counters, value)
                .description(description)
                .register(registry);
    }

    private void gauge(String name, String description, StreamerRole role, ToDoubleFunction<StreamerRole> value) {
        Gauge.builder(PREFIX + name, role, value).description(description).register(registry);
    }
}

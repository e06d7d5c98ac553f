package dev.sluice.route;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.Ownership;
import dev.sluice.coordinate.PartitionUser;
import dev.sluice.deliver.Deliverers;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.feed.EventFeed;
import dev.sluice.lane.DeadLetterRetry;
import dev.sluice.lane.DeadLetters;
import dev.sluice.lane.Lanes;
import dev.sluice.lane.LetterBox;
import dev.sluice.lane.RetryReport;
import dev.sluice.lane.Router;
import dev.sluice.model.FencingToken;
import dev.sluice.run.Turns;
import dev.sluice.saved.SavedPositionText;
import dev.sluice.subscribe.GatewayListener;
import dev.sluice.subscribe.RegistryView;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.IntUnaryOperator;

/**
 * Match to gateway, for the partitions this member owns. Each partition reads its streams in order, matches every event, and
 * hands the matches to the lanes of the gateways. Subscriptions of one home and priority share a cursor; a cursor never passes
 * what a gateway has not acknowledged and no dead letter keeps. A gateway that is slow, away or failing costs a cursor that
 * stays behind, and no other gateway's time.
 */
public final class Streamer implements PartitionUser, GatewayListener, AutoCloseable {
    private static final Duration HOUSEKEEPING = Duration.ofMillis(500);

    private final StreamerContext context;
    private final OwnedPartitions partitions;
    private final GatewayChanges gateways;
    private final GatewayMarkers markers;
    private final DeadLetterRetry deadLetterRetry;
    private final Turns.Loop housekeeping;

    /**
     * Nothing runs until a partition is assigned. It closes the deliverers it makes, and nothing else.
     *
     * @param partitionCount of how many partitions an assigned one is
     */
    public Streamer(
            StreamerSettings settings,
            EventFeed feed,
            RegistryView registry,
            Deliverers deliverers,
            DeadLetters deadLetters,
            Turns turns,
            IntUnaryOperator partitionCount) {
        StreamerCounters counters = new StreamerCounters();
        Router router = new Router(settings.mode(), settings.maxFanout());
        LetterBox letters = new LetterBox(deadLetters, turns, counters);
        Lanes lanes = new Lanes(settings.lanes(), router, deliverers, turns, counters, letters, new Node());
        this.context = new StreamerContext(settings, feed, registry, router, lanes, turns, counters);
        this.partitions = new OwnedPartitions(context, partitionCount);
        this.gateways = new GatewayChanges(lanes, partitions);
        this.markers = new GatewayMarkers(context, partitions);
        this.deadLetterRetry =
                new DeadLetterRetry(deadLetters, lanes, registry, turns, settings.retriesPerSecond(), partitions::open);
        this.housekeeping = turns.background("streamer-lanes", this::pumpAll);
        registry.onChange(() -> partitions.all().forEach(OwnedPartition::wake));
    }

    /** This node as its lanes see it. */
    private final class Node implements Lanes.Node {
        @Override
        public int partitions() {
            return partitions.all().size();
        }

        @Override
        public Duration untilDeadline() {
            return partitions.untilDeadline();
        }

        @Override
        public Lanes.Told told(String gatewayId) {
            return markers.told(gatewayId);
        }
    }

    /** A pump that failed, for want of memory for example, left its lane waiting; and idle gateways learn how far they are. */
    private Duration pumpAll() {
        context.lanes().pumpAll();
        context.lanes().tellIdle();
        return HOUSEKEEPING;
    }

    Collection<OwnedPartition> owned() {
        return partitions.all();
    }

    @Override
    public void assigned(Claim claim) {
        assigned(Ownership.of(claim));
    }

    void assigned(Ownership claim) {
        partitions.assigned(claim);
    }

    @Override
    public void revoking(Claim claim) {
        partitions.revoking(claim);
    }

    @Override
    public void lost(Claim claim) {
        lost(claim.partition(), claim.token());
    }

    void lost(int partition, FencingToken token) {
        partitions.lost(partition, token);
    }

    /** Whether every partition that is owned here has placed its subscriptions. */
    public boolean isReady() {
        return partitions.isReady();
    }

    @Override
    public void up(GatewayAddress gateway) {
        gateways.up(gateway);
    }

    @Override
    public void registeredAgain(GatewayAddress gateway) {
        gateways.registeredAgain(gateway);
    }

    @Override
    public void away(String gatewayId) {
        gateways.away(gatewayId);
    }

    @Override
    public void gone(String gatewayId) {
        gateways.gone(gatewayId);
    }

    /** A marker of the logs' heads; empty while they, or what this node owns, are not known. */
    public String head() {
        return markers.head();
    }

    /**
     * A marker up to which this gateway has acknowledged all it was owed; empty unless this node owns every partition and knows
     * where each is.
     */
    public String lowWater(String gatewayId) {
        return markers.lowWater(gatewayId);
    }

    /** Of two positions that claims keep, one from which a partition loses nothing of either: for a change of their number. */
    public static String lowerOf(String one, String other) {
        return SavedPositionText.lowerOf(one, other);
    }

    public StreamerStatus status() {
        return StatusReport.of(
                partitions.all().stream().map(OwnedPartition::report).toList(), context);
    }

    /** Where a subscription stands in the partitions that are owned here; empty: there is no such subscription. */
    public Optional<SubscriptionStatus> subscription(String id) {
        return SubscriptionReports.of(id, partitions.all(), context);
    }

    public StreamerCounters counters() {
        return context.counters();
    }

    /**
     * Sends dead letters again, in the given order and not all at once. Those a gateway takes are deleted, the others get
     * one more line of history.
     */
    public RetryReport retry(List<String> ids, boolean dryRun) {
        return deadLetterRetry.retry(ids, dryRun);
    }

    /**
     * Takes nothing in any more and waits for what is under way at gateways that can be reached. Returns whether all of that was
     * acknowledged; what waits for the others is delivered by the next owner.
     */
    public boolean drain(Duration atMost) {
        return partitions.drain(atMost);
    }

    /** Stops everything at once; positions stay where they were last reported. */
    @Override
    public void close() {
        housekeeping.stop();
        partitions.close();
        gateways.close();
    }
}

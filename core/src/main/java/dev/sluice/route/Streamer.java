package dev.sluice.route;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.PartitionUser;
import dev.sluice.deliver.Deliverers;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Passed;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Places;
import dev.sluice.route.feed.EventFeed;
import dev.sluice.route.feed.FeedUnavailableException;
import dev.sluice.route.feed.LogHead;
import dev.sluice.subscribe.GatewayListener;
import dev.sluice.subscribe.RegistryChange;
import dev.sluice.subscribe.RegistryView;
import dev.sluice.subscribe.SubscriptionRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Match to gateway, for the partitions this member owns. Each partition reads its streams in order, matches every event, and
 * hands the matches to the lanes of the gateways. Subscriptions of one home and priority share a cursor; a cursor never passes
 * what a gateway has not acknowledged and no dead letter keeps. A gateway that is slow, away or failing costs a cursor that
 * stays behind, and no other gateway's time.
 */
public final class Streamer implements PartitionUser, GatewayListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Streamer.class);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(5);
    private static final Duration HOUSEKEEPING = Duration.ofMillis(500);
    private static final int UNAPPLIED_LOOKED_AT = 10_000;

    private final StreamerCounters counters = new StreamerCounters();
    private final StreamerContext context;
    private final DeadLetterRetry deadLetterRetry;
    private final Turns.Loop housekeeping;
    private final Map<Integer, OwnedPartition> owned = new ConcurrentHashMap<>();
    private final IntUnaryOperator partitionCount;

    /** One change of ownership or gateways at a time. */
    private final ReentrantLock changing = new ReentrantLock();

    private boolean closed;

    /** Nothing runs until a partition is assigned. It closes the deliverers it makes, and nothing else. */
    public Streamer(
            StreamerSettings settings,
            EventFeed feed,
            RegistryView registry,
            Deliverers deliverers,
            DeadLetters deadLetters,
            Turns turns) {
        this(settings, feed, registry, deliverers, deadLetters, turns, partition -> settings.partitions());
    }

    /** @param partitionCount of how many partitions an assigned one is */
    public Streamer(
            StreamerSettings settings,
            EventFeed feed,
            RegistryView registry,
            Deliverers deliverers,
            DeadLetters deadLetters,
            Turns turns,
            IntUnaryOperator partitionCount) {
        Router router = new Router(settings.mode(), settings.maxFanout());
        LetterBox letters = new LetterBox(deadLetters, turns, counters);
        Lanes lanes = new Lanes(settings.lanes(), router, deliverers, turns, counters, letters, new Lanes.Progress() {
            @Override
            public String marker(String gatewayId) {
                return lowWater(gatewayId);
            }

            @Override
            public List<Passed> passed(String gatewayId) {
                return Streamer.this.passed(gatewayId);
            }
        });
        this.context = new StreamerContext(settings, feed, registry, router, lanes, turns, counters);
        this.partitionCount = partitionCount;
        this.deadLetterRetry = new DeadLetterRetry(deadLetters, context, this::openPartition);
        this.housekeeping = turns.background("streamer-lanes", this::pumpAll);
        registry.onChange(() -> owned.values().forEach(OwnedPartition::wake));
    }

    Collection<OwnedPartition> owned() {
        return owned.values();
    }

    private @Nullable OwnedPartition openPartition(int number) {
        OwnedPartition found = owned.get(number);
        return found == null || !found.isOpen() ? null : found;
    }

    /** A pump that failed, for want of memory for example, left its lane waiting; and idle gateways learn how far they are. */
    private Duration pumpAll() {
        context.lanes().pumpAll();
        context.lanes().tellIdle();
        return HOUSEKEEPING;
    }

    // Ownership.

    @Override
    public void assigned(Claim claim) {
        assigned(Ownership.of(claim));
    }

    void assigned(Ownership claim) {
        change(() -> {
            OwnedPartition before = owned.remove(claim.partition());
            if (before != null) {
                before.close();
            }
            if (!closed) {
                int partitions = partitionCount.applyAsInt(claim.partition());
                SavedPosition saved = SavedPositionText.parse(claim.position()).orElse(null);
                OwnedPartition partition = new OwnedPartition(claim, context, partitions, saved);
                owned.put(claim.partition(), partition);
                partition.start();
            }
        });
    }

    /** Waits for what is under way, within {@link StreamerSettings#flushTimeout}. */
    @Override
    public void revoking(Claim claim) {
        OwnedPartition leaving = owned.get(claim.partition());
        if (leaving != null && leaving.token().equals(claim.token())) {
            // A partition that was drained already has waited long enough.
            Duration atMost = leaving.isTakingIn() ? context.settings().flushTimeout() : Duration.ZERO;
            leaving.stopTakingIn();
            boolean unused = await(List.of(leaving), atMost);
            leaving.finish();
            leaving.close();
            owned.remove(claim.partition(), leaving);
        }
    }

    @Override
    public void lost(Claim claim) {
        lost(claim.partition(), claim.token());
    }

    void lost(int partition, FencingToken token) {
        OwnedPartition gone = owned.get(partition);
        if (gone != null && gone.token().equals(token)) {
            gone.close();
            owned.remove(partition, gone);
        }
    }

    /** Whether every partition that is owned here has placed its subscriptions. */
    public boolean isReady() {
        return !owned.isEmpty() && owned.values().stream().allMatch(OwnedPartition::isPlaced);
    }

    // Gateways.

    @Override
    public void up(GatewayAddress gateway) {
        serve(() -> context.lanes().up(gateway));
    }

    @Override
    public void registeredAgain(GatewayAddress gateway) {
        if (!context.lanes().reaches(gateway)) {
            up(gateway);
            return;
        }
        Lane lane = context.lanes().of(gateway.id());
        if (lane != null) {
            lane.back();
            owned.values().forEach(OwnedPartition::wake);
        }
    }

    @Override
    public void away(String gatewayId) {
        serve(() -> context.lanes().away(gatewayId));
    }

    @Override
    public void gone(String gatewayId) {
        serve(() -> context.lanes().gone(gatewayId));
    }

    private void serve(Runnable gatewayChange) {
        // Before and after: no marker is made of groups that do not fit the gateways yet.
        owned.values().forEach(OwnedPartition::lanesChanged);
        change(gatewayChange);
        owned.values().forEach(OwnedPartition::lanesChanged);
        context.lanes().forgetProgress();
        context.lanes().pumpAll();
    }

    private void change(Runnable step) {
        changing.lock();
        try {
            step.run();
        } finally {
            changing.unlock();
        }
    }

    // Positions and markers.

    /** Of two positions that claims keep, one from which a partition loses nothing of either: for a change of their number. */
    public static String lowerOf(String one, String other) {
        SavedPosition a = SavedPositionText.parse(one).orElse(null);
        SavedPosition b = SavedPositionText.parse(other).orElse(null);
        if (a == null || b == null) {
            return a == null ? other : one;
        }
        return SavedPositionText.write(a.lower(b), Claim.LONGEST_POSITION);
    }

    /** A marker of the logs' heads; empty while they, or what this node owns, are not known. */
    public String head() {
        if (!isReady()) {
            return "";
        }
        try {
            TreeMap<String, Places.Place> places = new TreeMap<>();
            for (Map.Entry<String, LogHead> log : context.feed().heads().entrySet()) {
                LogHead head = log.getValue();
                places.put(log.getKey(), new Places.Place(head.identity(), head.head()));
            }
            return new Places(places).marker().encode();
        } catch (FeedUnavailableException e) {
            LOG.debug("the heads of the logs are not known now", e);
            return "";
        }
    }

    /**
     * A marker up to which this gateway has acknowledged all it was owed; empty unless this node owns every partition and knows
     * where each is.
     */
    public String lowWater(String gatewayId) {
        Set<GroupKey> its = context.router().servedBy(gatewayId);
        List<OwnedPartition> all = List.copyOf(owned.values());
        Places lowest = null;
        for (OwnedPartition each : all) {
            long applied = each.applied();
            Places low = each.partitions() == all.size() ? each.lowWater(its) : null;
            Places unapplied = low == null ? null : lowerOfUnapplied(low, applied);
            if (unapplied == null) {
                return "";
            }
            lowest = lowest == null ? unapplied : lowest.lower(unapplied);
        }
        return lowest == null ? "" : lowest.marker().encode();
    }

    /** How far the partitions that are owned here have got with a gateway's own subscriptions. */
    private List<Passed> passed(String gatewayId) {
        List<Passed> passed = new ArrayList<>();
        for (OwnedPartition each : owned.values()) {
            Passed its = each.passed(gatewayId);
            if (its != null) {
                passed.add(its);
            }
        }
        return passed;
    }

    /**
     * A subscription that a partition has not placed yet begins at its start. While one has changed, and not every partition has
     * placed it anew, no marker is known: it may be owed more by the groups it leaves.
     */
    private @Nullable Places lowerOfUnapplied(Places low, long applied) {
        List<RegistryChange> changes = context.registry().changesAfter(applied, UNAPPLIED_LOOKED_AT);
        if (changes == null || changes.size() == UNAPPLIED_LOOKED_AT) {
            return null;
        }
        Places lowest = low;
        for (RegistryChange change : changes) {
            SubscriptionRecord now = change.now();
            if (now != null && now.created() <= applied) {
                return null;
            }
            lowest = now == null ? lowest : lowest.lower(now.start());
        }
        return lowest;
    }

    // For operators.

    public StreamerStatus status() {
        List<PartitionReport> reports =
                owned.values().stream().map(OwnedPartition::report).toList();
        return StatusReport.of(reports, context);
    }

    public StreamerCounters counters() {
        return counters;
    }

    /**
     * Sends dead letters again, in the given order and not all at once. Those a gateway takes are deleted, the others get
     * one more line of history.
     */
    public RetryReport retry(List<String> ids, boolean dryRun) {
        return deadLetterRetry.retry(ids, dryRun);
    }

    // The end.

    /** Takes nothing in any more and waits for what is under way. Returns whether all of it was acknowledged. */
    public boolean drain(Duration atMost) {
        Collection<OwnedPartition> all = List.copyOf(owned.values());
        all.forEach(OwnedPartition::stopTakingIn);
        boolean drained = await(all, atMost);
        all.forEach(OwnedPartition::finish);
        return drained;
    }

    private boolean await(Collection<OwnedPartition> leaving, Duration atMost) {
        long start = context.turns().nanos();
        while (!leaving.stream().allMatch(OwnedPartition::isDrained)) {
            if (context.turns().nanos() - start >= atMost.toNanos()) {
                LOG.atWarn()
                        .addKeyValue("afterMs", TimeUnit.NANOSECONDS.toMillis(atMost.toNanos()))
                        .log("not everything under way was acknowledged in time: it will come again");
                return false;
            }
            LockSupport.parkNanos(LOOK_AGAIN.toNanos());
        }
        return true;
    }

    /** Stops everything at once; positions stay where they were last reported. */
    @Override
    public void close() {
        change(() -> {
            closed = true;
            housekeeping.stop();
            owned.values().forEach(OwnedPartition::close);
            owned.clear();
            context.lanes().close();
        });
    }
}

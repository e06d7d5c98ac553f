package dev.sluice.route;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.PartitionUser;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.deliver.Deliverers;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.GatewayListener;
import dev.sluice.subscribe.Replacement;
import dev.sluice.subscribe.SubscriptionEnd;
import dev.sluice.subscribe.SubscriptionListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Match to gateway, for the partitions this member owns: each partition's events are read in order, matched, handed to the
 * lane of each gateway concerned, and count as done when the gateway has acknowledged them or they are kept as dead
 * letters. A partition's position never passes what is not done. A gateway that is slow, away or failing costs a position
 * in the log and nobody else's time.
 *
 * <p>It is told what it owns as a {@link PartitionUser}, and what changes as a listener of the registries: listen first,
 * then join the group.
 */
public final class Streamer implements PartitionUser, SubscriptionListener, GatewayListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Streamer.class);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(5);
    private static final Duration HOUSEKEEPING = Duration.ofMillis(500);

    private final StreamerCounters counters = new StreamerCounters();
    private final Surroundings around;
    private final DeadLetterRetry deadLetterRetry;
    private final StartTally tally;
    private final Turns.Loop housekeeping;

    /** One change at a time. Taken before every other lock of this package. */
    private final ReentrantLock changing = new ReentrantLock();

    private final Map<Integer, Working> working = new ConcurrentHashMap<>();
    private boolean closed;

    /** Nothing runs until a partition is assigned. It closes the deliverers it makes, and nothing else. */
    public Streamer(
            StreamerSettings settings,
            EventFeed feed,
            KnownSubscriptions subscriptions,
            Deliverers deliverers,
            DeadLetters deadLetters,
            Turns turns) {
        Router router = new Router(settings.mode(), settings.maxFanout());
        LetterBox letters = new LetterBox(deadLetters, turns, counters);
        Lanes lanes = new Lanes(settings.lanes(), router, deliverers, turns, counters, letters, this::lowWater);
        this.around = new Surroundings(settings, feed, subscriptions, router, lanes, turns, counters);
        this.deadLetterRetry = new DeadLetterRetry(deadLetters, around, this::partition);
        this.tally = new StartTally(subscriptions);
        this.housekeeping = turns.background("streamer-housekeeping", this::keepHouse);
    }

    private @Nullable Partition partition(int number) {
        Working found = working.get(number);
        return found == null || !found.partition().isOpen() ? null : found.partition();
    }

    @Override
    public void assigned(Claim claim) {
        assigned(Ownership.of(claim));
    }

    void assigned(Ownership claim) {
        change(() -> {
            if (closed) {
                return;
            }
            stop(claim.partition());
            SavedPosition saved = SavedPosition.parse(claim.position()).orElse(null);
            Partition partition = new Partition(claim, around, saved);
            if (saved != null) {
                partition.restore(saved);
                partition.restoreBroadcasts(broadcastOnes(around.known().gatewayIds()));
                saved.starting()
                        .forEach((id, at) -> around.known()
                                .find(id)
                                .ifPresent(subscription -> partition.start(subscription, Positions.of(at))));
            }
            for (Subscription each : tally.beginning()) {
                if (saved == null || !saved.starting().containsKey(each.id())) {
                    partition.start(each, Positions.of(each.from().orElse(ProgressMarker.NOWHERE)));
                }
                tally.startsIn(each.id(), claim.partition());
            }
            working.put(claim.partition(), new Working(partition, around));
            around.lanes().forgetProgress();
        });
    }

    private void stop(int number) {
        Working before = working.remove(number);
        if (before != null) {
            before.stop();
            tally.left(number);
        }
    }

    /** Waits for what is under way, within {@link StreamerSettings#flushTimeout}. */
    @Override
    public void revoking(Claim claim) {
        Working leaving = working.get(claim.partition());
        if (leaving != null && leaving.partition().token().equals(claim.token())) {
            // Who has been drained already has waited long enough.
            Duration atMost =
                    leaving.partition().isTakingIn() ? around.settings().flushTimeout() : Duration.ZERO;
            leaving.stopTakingIn();
            boolean unused = await(List.of(leaving), atMost);
            leaving.finish();
            forget(leaving);
        }
    }

    @Override
    public void lost(Claim claim) {
        Working gone = working.get(claim.partition());
        if (gone != null && gone.partition().token().equals(claim.token())) {
            gone.stop();
            forget(gone);
        }
    }

    private void forget(Working done) {
        change(() -> {
            if (working.remove(done.partition().partition(), done)) {
                tally.left(done.partition().partition());
            }
        });
    }

    /** What they are owed where they are is named in the saved positions: after a crash they may be elsewhere. */
    @Override
    public void beforeStore(Collection<Replacement> moving) {
        change(() -> working.values().forEach(each -> {
            if (each.partition().hold(moving)) {
                save(each.partition());
            }
        }));
    }

    @Override
    public void notStored(Collection<Replacement> moving) {
        change(() -> working.values().forEach(each -> each.partition().release(moving)));
    }

    @Override
    public void beforeAdd(Subscription subscription, @Nullable Subscription earlier) {
        change(() -> {
            Replacement replacement = new Replacement(earlier, subscription);
            boolean restarts = replacement.restarts();
            boolean moves = replacement.moves();
            if (restarts) {
                tally.begins(subscription);
            } else {
                tally.changed(subscription, moves);
            }
            boolean past = false;
            for (Working each : working.values()) {
                boolean apart = each.partition().beforeAdd(subscription, earlier);
                past |= apart;
                if (earlier != null ? apart : each.partition().report().named().contains(subscription.id())) {
                    save(each.partition());
                }
                if (restarts || moves) {
                    tally.startsIn(subscription.id(), each.partition().partition());
                }
            }
            if (past) {
                around.lanes().forgetProgress();
            }
        });
    }

    @Override
    public void afterRemove(Subscription subscription, SubscriptionEnd why) {
        change(() -> {
            tally.ended(subscription.id());
            working.values().forEach(each -> each.partition().ended(subscription));
        });
    }

    @Override
    public void up(GatewayAddress gateway) {
        change(() -> {
            around.lanes().up(gateway);
            serve();
        });
    }

    @Override
    public void away(String gatewayId) {
        change(() -> {
            around.lanes().away(gatewayId);
            serve();
        });
    }

    @Override
    public void gone(String gatewayId) {
        change(() -> {
            around.lanes().gone(gatewayId);
            serve();
        });
    }

    /** No event goes the new way before what was owed on the old one: every partition stands still for the change. */
    private void serve() {
        Set<String> subscribed = around.known().gatewayIds();
        Map<String, Set<Priority>> theirs = broadcastOnes(subscribed);
        List<Partition> all = working.values().stream().map(Working::partition).toList();
        boolean moved = locked(all.iterator(), () -> reroute(all, subscribed, theirs));
        if (moved || !theirs.isEmpty()) {
            around.lanes().sweep();
            working.values().forEach(each -> save(each.partition()));
        }
        working.values().forEach(each -> each.partition().wakeCatchUps());
        around.lanes().pumpAll();
    }

    private boolean reroute(List<Partition> all, Set<String> subscribed, Map<String, Set<Priority>> theirs) {
        all.forEach(Partition::beforeReroute);
        List<String> owners = around.lanes().reroute();
        Set<String> without = new HashSet<>();
        for (String owner : owners) {
            if (!Router.isShare(owner)
                    && !subscribed.contains(owner)
                    && around.lanes().of(owner) == null) {
                without.add(owner);
            }
        }
        all.forEach(each -> each.served(owners, without, theirs));
        return !owners.isEmpty();
    }

    private static <T> T locked(Iterator<Partition> rest, Supplier<T> work) {
        return rest.hasNext() ? rest.next().locked(() -> locked(rest, work)) : work.get();
    }

    /** Those whose gateway was not known, or is not any more, where that means a broadcast. */
    private Map<String, Set<Priority>> broadcastOnes(Set<String> subscribed) {
        Map<String, Set<Priority>> theirs = new HashMap<>();
        if (around.router().broadcasts()) {
            for (String gateway : subscribed) {
                if (!around.router().isKnown(gateway) || around.lanes().of(gateway) == null) {
                    for (Subscription each : around.known().ofGateway(gateway)) {
                        theirs.computeIfAbsent(Router.owner(each), none -> EnumSet.noneOf(Priority.class))
                                .add(each.priority());
                    }
                }
            }
        }
        return theirs;
    }

    /**
     * Of two positions that claims keep, one from which a partition loses nothing of either: for groups that change the
     * number of their partitions.
     */
    public static String lowerOf(String one, String other) {
        return SavedPosition.lowerOf(one, other);
    }

    /** A marker of where a subscription registered now begins, or a little before; empty while nothing is known. */
    public String head() {
        return lowest(owner -> false);
    }

    /** A marker up to which this gateway has acknowledged all it was owed; empty while nothing is known. */
    public String lowWater(String gatewayId) {
        return lowest(owner ->
                gatewayId.equals(owner) || gatewayId.equals(around.router().gatewayOf(owner)));
    }

    private String lowest(Predicate<String> owners) {
        Positions lowest = null;
        for (Working each : working.values()) {
            Positions low = each.partition().lowWater(owners);
            if (low == null) {
                return "";
            }
            if (lowest == null) {
                lowest = low;
            } else {
                lowest.lower(low);
            }
        }
        return lowest == null ? "" : lowest.marker().encode();
    }

    public StreamerStatus status() {
        List<StreamerStatus.OfPartition> partitions = new ArrayList<>();
        Map<String, List<StreamerStatus.Behind>> behind = new HashMap<>();
        working.values().stream()
                .sorted(Comparator.comparingInt(each -> each.partition().partition()))
                .forEach(each -> {
                    partitions.add(each.status());
                    each.partition().behind().forEach((owner, positions) -> {
                        String gateway = around.router().gatewayOf(owner);
                        behind.computeIfAbsent(gateway == null ? owner : gateway, none -> new ArrayList<>())
                                .addAll(positions);
                    });
                });
        List<StreamerStatus.OfLane> lanes = new ArrayList<>();
        for (Lane lane : around.lanes().all()) {
            List<StreamerStatus.Behind> positions = behind.remove(lane.gatewayId());
            lanes.add(lane.status(positions == null ? List.of() : positions));
        }
        behind.forEach((owner, positions) ->
                lanes.add(new StreamerStatus.OfLane(owner, "unknown", "closed", Map.of(), 0, positions)));
        lanes.sort(Comparator.comparing(StreamerStatus.OfLane::gatewayId));
        return new StreamerStatus(partitions, lanes);
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

    /** Takes nothing in any more and waits for what is under way. Returns whether all of it was acknowledged. */
    public boolean drain(Duration atMost) {
        Collection<Working> all = List.copyOf(working.values());
        all.forEach(Working::stopTakingIn);
        boolean drained = await(all, atMost);
        all.forEach(each -> each.partition().report().now());
        return drained;
    }

    private boolean await(Collection<Working> leaving, Duration atMost) {
        long start = around.turns().nanos();
        while (!leaving.stream().allMatch(Working::isDrained)) {
            if (around.turns().nanos() - start >= atMost.toNanos()) {
                LOG.atWarn()
                        .addKeyValue("afterMs", TimeUnit.NANOSECONDS.toMillis(atMost.toNanos()))
                        .log("not everything under way was acknowledged in time: it will come again");
                return false;
            }
            LockSupport.parkNanos(LOOK_AGAIN.toNanos());
        }
        return true;
    }

    private @Nullable Duration keepHouse() {
        for (Working each : working.values()) {
            Partition partition = each.partition();
            partition.report().ifDue();
            List<String> started = partition.takeStarted();
            if (!started.isEmpty() || partition.takeUnsavedBirths()) {
                saveStarts(partition, started);
            }
        }
        return HOUSEKEEPING;
    }

    /** It stands elsewhere than its class now, and nobody would know after a crash. */
    private static void save(Partition partition) {
        try {
            boolean unused = partition.report().save();
        } catch (StoreUnavailableException e) {
            LOG.atWarn()
                    .addKeyValue("partition", partition.partition())
                    .addKeyValue("reason", e.getMessage())
                    .log("a change of gateway or priority is saved later: a crash before may lose matches");
        }
    }

    /** Only when the saved position does not name them any more may the registry forget where they began. */
    private void saveStarts(Partition partition, List<String> started) {
        try {
            if (partition.report().save()) {
                List<String> everywhere = tally.started(started, partition.partition());
                working.values().forEach(each -> each.partition().started(everywhere));
            }
        } catch (StoreUnavailableException e) {
            LOG.debug("subscriptions that have caught up begin there again after a restart", e);
        }
    }

    /** Stops everything at once; positions stay where they were last reported. */
    @Override
    public void close() {
        change(() -> {
            closed = true;
            housekeeping.stop();
            working.values().forEach(Working::stop);
            working.clear();
            around.lanes().close();
        });
    }

    private void change(Runnable step) {
        changing.lock();
        try {
            step.run();
        } finally {
            changing.unlock();
        }
    }
}

package dev.sluice.route;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.PartitionUser;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.deliver.Deliverers;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.GatewayListener;
import dev.sluice.subscribe.NotReadyException;
import dev.sluice.subscribe.Replacement;
import dev.sluice.subscribe.SubscriptionEnd;
import dev.sluice.subscribe.SubscriptionListener;
import dev.sluice.subscribe.SubscriptionStoreException;
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
import java.util.Optional;
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
    /** Clocks differ, and a head may lag after a restart, but not by so much. */
    private static final Duration SURELY_AHEAD = Duration.ofMinutes(10);

    private static final Duration HOUSEKEEPING = Duration.ofMillis(500);

    private final StreamerCounters counters = new StreamerCounters();
    private final Surroundings around;
    private final DeadLetterRetry deadLetterRetry;
    private final StartTally tally;
    private final Turns.Loop housekeeping;

    /** One change at a time. Taken before every other lock of this package. */
    private final ReentrantLock changing = new ReentrantLock();

    /** Some of those that are being registered stand elsewhere than their class now, and that is not saved yet. */
    private boolean apart;

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
        this.around = new Surroundings(settings, feed, subscriptions, router, lanes, new Arriving(), turns, counters);
        this.deadLetterRetry = new DeadLetterRetry(deadLetters, around, this::partition);
        this.tally = new StartTally(subscriptions);
        this.housekeeping = turns.background("streamer-positions", this::keepHouse);
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
            Set<String> subscribed = around.known().gatewayIds();
            Optional<SavedPosition> left = SavedPosition.parse(claim.position());
            SavedPosition saved = left.filter(each -> !each.isNowhere())
                    .map(each -> each.without(
                            owner -> owner instanceof Recipient.Gateway gateway && !subscribed.contains(gateway.id())))
                    .orElse(null);
            Partition partition = new Partition(claim, around, saved);
            if (claim.partition() == 0) {
                left.ifPresent(each -> partition.orderResync(subscriptions(each.toResync())));
            }
            if (saved != null) {
                partition.restore(saved);
                partition.restoreBroadcasts(broadcastOnes(subscribed));
                saved.starting()
                        .forEach((id, at) -> around.known()
                                .find(id)
                                .ifPresent(subscription -> partition.start(subscription, Positions.of(at))));
            }
            for (Subscription each : tally.beginning()) {
                if (saved == null || !saved.starting().containsKey(each.id())) {
                    partition.start(each, Positions.of(each.from().orElse(ProgressMarker.NOWHERE)));
                }
            }
            working.put(claim.partition(), new Working(partition, around));
            around.lanes().forgetProgress();
        });
    }

    private Collection<String> subscriptions(ToResync toResync) {
        return toResync.all()
                ? around.known().gatewayIds().stream()
                        .flatMap(gateway -> around.known().ofGateway(gateway).stream())
                        .map(Subscription::id)
                        .toList()
                : toResync.subscriptions();
    }

    /**
     * Sends RESYNC to these subscriptions: they read the current state again. When this returns, a crash does not keep
     * them from being told.
     *
     * @throws NotReadyException when that cannot be made sure now; nothing is promised then
     */
    public void resync(Collection<String> subscriptionIds) {
        Working first = working.get(0);
        if (first == null || !isReady()) {
            throw new NotReadyException("not every partition is read here yet: try again in a moment");
        }
        first.partition().orderResync(subscriptionIds);
        require(first.partition());
        first.partition().giveResyncs();
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
        lost(claim.partition(), claim.token());
    }

    void lost(int partition, FencingToken token) {
        Working gone = working.get(partition);
        if (gone != null && gone.partition().token().equals(token)) {
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

    /** One that begins where nobody has been would be told nothing until then, and nobody would know why. */
    @Override
    public Optional<String> objection(Subscription subscription) {
        ProgressMarker from = subscription.from().orElse(ProgressMarker.NOWHERE);
        long now = around.turns().now().plus(SURELY_AHEAD).getEpochSecond();
        return from.positions().entrySet().stream()
                .filter(each ->
                        each.getValue().time().t() > Math.max(now, read(each.getKey()) + SURELY_AHEAD.toSeconds()))
                .findFirst()
                .map(each -> "its from is ahead of everything: at "
                        + each.getValue().time().t()
                        + " seconds since 1970 of backend " + InvalidInputException.quote(each.getKey())
                        + "; leave it out, and read the current state");
    }

    /** The second of the last event of this backend that was read. */
    private long read(String backend) {
        return working.values().stream()
                .mapToLong(each -> {
                    ProgressMarker at = each.partition().readOn();
                    return at == null
                            ? 0
                            : at.position(backend).map(id -> id.time().t()).orElse(0L);
                })
                .max()
                .orElse(0);
    }

    /** What they are owed where they are is named in the saved positions: after a crash they may be elsewhere. */
    @Override
    public void beforeStore(Collection<Replacement> changes) {
        List<Replacement> moving =
                changes.stream().filter(each -> each.restarts() || each.moves()).toList();
        List<Partition> toSave = new ArrayList<>();
        change(() -> {
            if (!isReady()) {
                throw new NotReadyException("not every partition is read here yet, and changes would be missed:"
                        + " try again in a moment");
            }
            for (Working each : working.values()) {
                PositionReport report = each.partition().report();
                boolean holds = each.partition().hold(moving);
                // One that ended and comes again is not to begin after a crash where it stood then.
                if (holds
                        || changes.stream()
                                .anyMatch(change -> report.names(change.later().id()))) {
                    toSave.add(each.partition());
                }
            }
        });
        // Without the lock: the store may be slow. A partition that is lost meanwhile is not saved, and says so.
        toSave.forEach(Streamer::require);
    }

    private static void require(Partition partition) {
        String away = "where partition " + partition.partition() + " stands cannot be saved now: try again in a moment";
        try {
            if (!partition.report().save()) {
                throw new NotReadyException(away);
            }
        } catch (StoreUnavailableException e) {
            LOG.atWarn()
                    .addKeyValue("partition", partition.partition())
                    .addKeyValue("reason", e.getMessage())
                    .log("subscriptions cannot be changed: their position cannot be saved");
            throw new NotReadyException(away);
        }
    }

    @Override
    public void notStored(Collection<Replacement> changes) {
        change(() -> working.values().forEach(each -> each.partition().release(changes)));
    }

    /** Whether every partition is here and knows where it begins: until then nobody can register. */
    public boolean isReady() {
        return isWhole() && working.values().stream().allMatch(Working::isReady);
    }

    /** Whether every partition is here. */
    private boolean isWhole() {
        List<Working> all = List.copyOf(working.values());
        return !all.isEmpty() && all.stream().allMatch(each -> each.partitions() == all.size());
    }

    @Override
    public void beforeAdd(Subscription subscription, @Nullable Subscription earlier) {
        change(() -> {
            around.arriving().add(subscription);
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
                past |= each.partition().beforeAdd(subscription, earlier);
            }
            if (past) {
                around.lanes().forgetProgress();
                apart |= earlier != null;
            }
        });
    }

    @Override
    public void afterAdd(Collection<Subscription> shown) {
        try {
            List<Partition> toSave = new ArrayList<>();
            change(() -> {
                if (apart) {
                    working.values().forEach(each -> toSave.add(each.partition()));
                    apart = false;
                }
            });
            // Before anything is read for them: after a crash they would begin where they were held.
            toSave.forEach(Streamer::save);
        } finally {
            // Whatever fails: nobody would read again for their gateway while they are awaited.
            shown.forEach(each -> around.arriving().remove(each.id()));
        }
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
        serve(() -> around.lanes().up(gateway));
    }

    @Override
    public void registeredAgain(GatewayAddress gateway) {
        if (!around.lanes().reaches(gateway)) {
            up(gateway);
            return;
        }
        Lane lane = around.lanes().of(gateway.id());
        if (lane != null) {
            lane.back();
            working.values().forEach(each -> each.partition().wakeCatchUps());
        }
    }

    @Override
    public void away(String gatewayId) {
        serve(() -> around.lanes().away(gatewayId));
    }

    @Override
    public void gone(String gatewayId) {
        serve(() -> around.lanes().gone(gatewayId));
    }

    /** No event goes the new way before what was owed on the old one: every partition stands still for the change. */
    private void serve(Runnable gatewayChange) {
        List<Partition> toSave = new ArrayList<>();
        change(() -> {
            gatewayChange.run();
            Set<String> subscribed = around.known().gatewayIds();
            Map<Recipient, Set<Priority>> theirs = broadcastOnes(subscribed);
            List<Partition> all =
                    working.values().stream().map(Working::partition).toList();
            boolean moved = locked(all.iterator(), () -> reroute(all, subscribed, theirs));
            if (moved || !theirs.isEmpty()) {
                around.lanes().sweep();
                toSave.addAll(all);
            }
        });
        toSave.forEach(Streamer::save);
        working.values().forEach(each -> each.partition().wakeCatchUps());
        around.lanes().pumpAll();
    }

    private boolean reroute(List<Partition> all, Set<String> subscribed, Map<Recipient, Set<Priority>> theirs) {
        all.forEach(Partition::beforeReroute);
        List<Recipient> owners = around.lanes().reroute();
        around.lanes().forgetProgress();
        Set<Recipient> without = new HashSet<>();
        for (Recipient owner : owners) {
            if (owner instanceof Recipient.Gateway gateway
                    && !subscribed.contains(gateway.id())
                    && around.lanes().of(gateway.id()) == null) {
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
    private Map<Recipient, Set<Priority>> broadcastOnes(Set<String> subscribed) {
        Map<Recipient, Set<Priority>> theirs = new HashMap<>();
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

    /** The position with which the partitions of a group begin when its positions were lost: now, and RESYNC to all. */
    public static String afterLoss() {
        return SavedPosition.afterLoss().write();
    }

    /**
     * A marker of where a subscription registered now begins, or a little before. Empty unless this node owns every
     * partition and knows where each is.
     */
    public String head() {
        return lowest(owner -> false);
    }

    /** A marker up to which this gateway has acknowledged all it was owed; empty as {@link #head} is. */
    public String lowWater(String gatewayId) {
        Recipient itself = new Recipient.Gateway(gatewayId);
        return lowest(owner ->
                itself.equals(owner) || gatewayId.equals(around.router().gatewayOf(owner)));
    }

    /** One that is not ours, or not yet, may be behind what all others have done: then nobody knows. */
    private String lowest(Predicate<Recipient> owners) {
        List<Working> all = List.copyOf(working.values());
        Positions lowest = null;
        for (Working each : all) {
            if (each.partitions() != all.size()) {
                return "";
            }
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
                        behind.computeIfAbsent(gateway == null ? owner.toString() : gateway, none -> new ArrayList<>())
                                .addAll(positions);
                    });
                });
        List<StreamerStatus.OfLane> lanes = new ArrayList<>();
        for (Lane lane : around.lanes().all()) {
            List<StreamerStatus.Behind> positions = behind.remove(lane.gatewayId());
            lanes.add(lane.status(positions == null ? List.of() : positions));
        }
        behind.forEach((owner, positions) -> lanes.add(new StreamerStatus.OfLane(
                owner,
                "unknown",
                "closed",
                Map.of(),
                0,
                positions,
                StreamerStatus.age(
                        positions.stream().flatMap(each -> each.oldest().stream()),
                        around.turns().now()),
                Optional.empty())));
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
        // Whoever is told to resync reads the current state: what changes later must be behind every partition's start.
        boolean ready = isReady();
        for (Working each : working.values()) {
            Partition partition = each.partition();
            partition.report().ifDue();
            if (ready) {
                partition.giveResyncs();
            }
            long before = tally.now();
            tally.past(partition.takeStarted(), partition.partition(), before);
            List<String> started = tally.unsaved(partition.partition());
            if (partition.takeUnsavedBirths() || !started.isEmpty()) {
                saveStarts(partition, started);
            }
        }
        tellStarted();
        // A pump that failed, for want of memory for example, left its lane waiting.
        around.lanes().pumpAll();
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
                tally.saved(partition.partition(), started);
            }
        } catch (StoreUnavailableException e) {
            LOG.debug("that subscriptions have caught up is saved later", e);
        }
    }

    private void tellStarted() {
        List<Subscription> finished = isWhole() ? tally.finished(working.size()) : List.of();
        if (finished.isEmpty()) {
            return;
        }
        try {
            around.known().started(finished);
            tally.told(finished);
            List<String> ids = finished.stream().map(Subscription::id).toList();
            working.values().forEach(each -> each.partition().started(ids));
        } catch (SubscriptionStoreException e) {
            LOG.atWarn()
                    .addKeyValue("subscriptions", finished.size())
                    .addKeyValue("reason", e.getMessage())
                    .log("that subscriptions have caught up cannot be stored now and is tried again");
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

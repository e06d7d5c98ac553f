package dev.sluice.route;

import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.deliver.Passed;
import dev.sluice.deliver.Reason;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Places;
import dev.sluice.route.feed.FeedEvent;
import dev.sluice.route.feed.FeedOutOfRangeException;
import dev.sluice.route.feed.FeedUnavailableException;
import dev.sluice.route.feed.LogChangedException;
import dev.sluice.route.feed.LogHead;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One partition that this member owns, and its thread. It does bounded pieces of work in turn: take what arrived
 * (acknowledgements, changes of the registry, of gateways), read on at the tail, read on for groups behind, save. It never waits
 * for a gateway; it sleeps until something arrives.
 */
final class OwnedPartition implements Sender, Turns.Step {
    private static final Logger LOG = LoggerFactory.getLogger(OwnedPartition.class);
    private static final int OFFERED_AT_ONCE = 100;
    private static final Duration IDLE = Duration.ofMillis(100);
    private static final Duration AFTER_FAILURE = Duration.ofMillis(500);

    private final Ownership ownership;
    private final StreamerContext context;
    private final int partitions;
    private final Gauge gauge;
    private @Nullable SavedPosition saved;

    /** Guards everything below; never held while a store, a gateway or another partition is called. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Arrived arrived = new Arrived();
    private final List<PartitionStream> streams = new CopyOnWriteArrayList<>();
    private final List<BroadcastGroups> broadcasts = new ArrayList<>();
    private final Flows flows = new Flows();
    private final Displaced displaced = new Displaced();
    private final Offering offering;
    private final ResyncOrders resyncs;
    private final RegistryFollower follower;
    private final CatchUp catchUp;
    private final PositionSaver saver;
    private volatile boolean open = true;
    private volatile boolean takingIn = true;
    private volatile boolean opened;
    private boolean ending;
    private boolean lookForLogs;
    private volatile Turns.@Nullable Loop loop;

    /** @param partitions of how many this is one */
    OwnedPartition(Ownership ownership, StreamerContext context, int partitions, @Nullable SavedPosition saved) {
        this.ownership = ownership;
        this.context = context;
        this.partitions = partitions;
        this.saved = saved;
        this.gauge = new Gauge(context.turns().nanos());
        this.offering = new Offering(context, this, flows, displaced);
        this.resyncs = new ResyncOrders(context, this, flows);
        this.follower = new RegistryFollower(context, this, streams, flows, displaced, offering, resyncs);
        this.catchUp = new CatchUp(context, this, offering, follower::follow);
        this.saver = new PositionSaver(ownership, context, () -> locked(this::position));
    }

    void start() {
        loop = context.turns().loop("partition-" + partition(), this);
    }

    @Override
    public int partition() {
        return ownership.partition();
    }

    @Override
    public FencingToken token() {
        return ownership.token();
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    /** Of how many this is one. */
    int partitions() {
        return partitions;
    }

    List<PartitionStream> streams() {
        return streams;
    }

    Flows flows() {
        return flows;
    }

    /** Whether its streams are open and every subscription is placed. */
    boolean isPlaced() {
        return opened;
    }

    private <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    /** Null while the partition works, or its groups do not fit the gateways yet: a lane does not wait for that. */
    private <T> @Nullable T ifFree(Supplier<T> work) {
        if (!opened || !lock.tryLock()) {
            return null;
        }
        try {
            return arrived.hasLanesChanged() ? null : work.get();
        } finally {
            lock.unlock();
        }
    }

    void wake() {
        Turns.Loop running = loop;
        if (running != null) {
            running.wake();
        }
    }

    // What arrives, from any thread.

    @Override
    public void settled(List<PendingDelivery> done) {
        arrived.settled(done);
        wake();
    }

    @Override
    public boolean isCurrent(PendingDelivery delivery) {
        return context.registry().isCurrent(delivery.subscriptionId(), delivery.revision());
    }

    @Override
    public void stuck(PendingDelivery delivery) {
        arrived.stuck(delivery);
        wake();
    }

    /** Other gateways are known, or serve other groups. */
    void lanesChanged() {
        arrived.lanesChanged();
        wake();
    }

    @Override
    public void fenced(String gatewayId, String reason, Consumer<Boolean> stillOurs) {
        LOG.atWarn()
                .addKeyValue("partition", partition())
                .addKeyValue("gateway", gatewayId)
                .addKeyValue("token", token())
                .addKeyValue("reason", reason)
                .log("a gateway knows a newer owner of the partition: the claim decides");
        context.turns().after(Duration.ZERO, () -> {
            boolean ours = saver.proves();
            if (!ours) {
                close();
            }
            stillOurs.accept(ours);
        });
    }

    // The thread.

    @Override
    public @Nullable Duration run() {
        if (!open) {
            locked(this::closeStreams);
            withdrawAll();
            return null;
        }
        try {
            locked(this::takeArrived);
            boolean worked = takingIn && work();
            pump();
            saver.reportIfDue();
            return worked ? Duration.ZERO : IDLE;
        } catch (FeedUnavailableException e) {
            return tryAgain(e, "its events cannot be read: " + e.getMessage());
        } catch (LogChangedException e) {
            return tryAgain(e, "its log has changed: " + e.getMessage());
        } catch (StoreUnavailableException e) {
            return tryAgain(e, "its position cannot be saved: " + e.getMessage());
        } catch (Throwable bug) {
            LOG.atError()
                    .addKeyValue("partition", partition())
                    .setCause(bug)
                    .log("a step of a partition failed: its events are read again");
            return tryAgain(bug, "its events cannot be handled: " + Reason.of(bug));
        }
    }

    private Duration tryAgain(Throwable why, String words) {
        if (gauge.trouble().isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("partition", partition())
                    .addKeyValue("reason", why.getMessage())
                    .log("a partition cannot be read now and is tried again");
        }
        gauge.failed(words);
        lookForLogs = true;
        context.counters().restarts.increment();
        locked(() -> {
            streams.forEach(PartitionStream::closeReaders);
            return null;
        });
        pump();
        return AFTER_FAILURE;
    }

    private boolean work() {
        if (opened && lookForLogs) {
            lookForLogs();
        }
        if (!opened) {
            open();
        }
        boolean worked = !locked(() -> context.registry().reading(follower::follow));
        for (PartitionStream stream : streams) {
            if (!reserve(stream, stream.sent().wanted())) {
                return false;
            }
            worked |= tail(stream);
            worked |= locked(() -> isTakingIn() && !ending && catchUp.turn(stream));
            pump();
        }
        locked(this::giveResyncs);
        return worked;
    }

    /** A Puller that was started again may have more logs: then the partition begins anew from its present position. */
    private void lookForLogs() {
        Set<String> known = new HashSet<>();
        streams.forEach(each -> known.add(each.log()));
        lookForLogs = false;
        if (!known.containsAll(context.feed().heads().keySet())) {
            locked(() -> {
                saved = position();
                opened = false;
                return closeStreams();
            });
            withdrawAll();
        }
    }

    private void open() {
        StreamsAtClaim claimed = new StreamsAtClaim(context, saved);
        List<PartitionStream> made = claimed.open(partition(), partitions, this::wake);
        boolean unused = locked(() -> {
            streams.forEach(PartitionStream::close);
            streams.clear();
            streams.addAll(made);
            return context.registry().reading(() -> {
                displaced.clear();
                claimed.place(made, follower, displaced, resyncs);
                broadcasts.clear();
                made.forEach(each -> broadcasts.add(
                        new BroadcastGroups(context.router(), offering, each, claimed.broadcastGateways(each))));
                return true;
            });
        });
        opened = true;
        arrived.lanesChanged();
        locked(this::takeArrived);
    }

    /** Reads and offers at the tail. Returns whether there may be more. */
    private boolean tail(PartitionStream stream) {
        try {
            locked(() -> {
                stream.readTail();
                return null;
            });
        } catch (FeedOutOfRangeException why) {
            locked(() -> {
                lose(stream, why);
                return null;
            });
            return true;
        } catch (LogChangedException changed) {
            resolveAnew(stream);
            return true;
        }
        int read = stream.unoffered();
        long newest = 0;
        while (takingIn && stream.nextAtTail() != null && reserve(stream, stream.timeOfNext(OFFERED_AT_ONCE))) {
            newest = locked(() -> context.registry().reading(() -> offerSome(stream)));
            pump();
            if (newest == 0) {
                return true;
            }
        }
        gauge.read(read, newest, slowestSource(), context.turns().nanos());
        return read > 0;
    }

    /** Offers the next events of the tail. Returns the time of the last one, by the source's clock; 0: none was offered. */
    private long offerSome(PartitionStream stream) {
        if (!follower.follow() || !isTakingIn() || ending) {
            return 0;
        }
        long newest = 0;
        FeedEvent event = stream.nextAtTail();
        for (int k = 0; k < OFFERED_AT_ONCE && event != null; k++) {
            long start = context.turns().nanos();
            offering.atTail(stream, event);
            context.counters().routingTime.accept(context.turns().nanos() - start);
            newest = Math.max(1, event.event().timestamp());
            event = stream.nextAtTail();
        }
        return newest;
    }

    /** Saves a later {@code sent} where the next events need it: what is handed over must be known after any crash. */
    private boolean reserve(PartitionStream stream, ClusterTime next) {
        if (stream.sent().covers(next)) {
            return true;
        }
        ClusterTime before = stream.sent().reserved();
        locked(() -> {
            ClusterTime raised = stream.sent()
                    .raised(next, stream.head().time(), context.turns().nanos());
            stream.sent().saved(raised);
            return null;
        });
        boolean ours = false;
        try {
            ours = saver.save();
        } finally {
            if (!ours) {
                stream.sent().saved(before);
            }
        }
        if (!ours) {
            close();
        }
        return ours;
    }

    private long slowestSource() {
        long slowest = Long.MAX_VALUE;
        for (PartitionStream each : streams) {
            slowest = Math.min(slowest, each.sourceTime());
        }
        return slowest == Long.MAX_VALUE ? 0 : slowest;
    }

    /** The tail's events are no longer kept: every main group that is there falls behind, and is told when it is read for. */
    private void lose(PartitionStream stream, FeedOutOfRangeException why) {
        LOG.atError()
                .addKeyValue("partition", partition())
                .addKeyValue("log", stream.log())
                .addKeyValue("reason", why.getMessage())
                .log("the partition's position is older than what the log keeps: every subscription is told to resync");
        long now = context.turns().nanos();
        boolean unused = context.registry().reading(() -> {
            context.registry().forEach(subscription -> {
                List<String> gateways = GroupKey.of(subscription, "").isBroadcast()
                        ? context.router().audience(subscription.id())
                        : List.of("");
                for (String gateway : gateways) {
                    stream.groups().main(GroupKey.of(subscription, gateway));
                }
            });
            return true;
        });
        stream.groups().forEach(group -> {
            if (group.isAtTail()) {
                group.fallBehind(stream.tail(), now);
            }
        });
        stream.jumpTo(why.oldest());
    }

    /** Another Puller is read, or the log was refilled. */
    private void resolveAnew(PartitionStream stream) {
        LogHead head = context.feed().heads().get(stream.log());
        if (head == null) {
            throw new FeedUnavailableException("log " + stream.log() + " is not there");
        }
        LOG.atWarn()
                .addKeyValue("partition", partition())
                .addKeyValue("log", stream.log())
                .log("the log has another identity: every position is resolved anew by its event id");
        locked(() -> {
            stream.groups().forEach(group -> offering.putBack(stream, group, group.acked(stream.tail())));
            stream.resolveAnew(head, context.turns().nanos());
            return null;
        });
    }

    // What arrived, in the partition's thread.

    private boolean takeArrived() {
        List<PendingDelivery> settled = arrived.takeSettled();
        try {
            settle(settled);
        } catch (Throwable inTheMiddle) {
            // What was counted already is not counted twice.
            arrived.settled(settled);
            throw inTheMiddle;
        }
        if (!opened) {
            return true;
        }
        arrived.takeStuck().forEach(this::placeApart);
        boolean lanesChanged = arrived.takeLanesChanged();
        try {
            return !lanesChanged || followLanes();
        } catch (Throwable inTheMiddle) {
            arrived.lanesChanged();
            throw inTheMiddle;
        }
    }

    private void settle(List<PendingDelivery> settled) {
        if (opened && settled.stream().anyMatch(each -> each.representative)) {
            // First what has changed: a subscription that moved away is not among those its former gateway has told.
            boolean unused = context.registry().reading(follower::follow);
        }
        settled.forEach(this::settle);
        saver.settled(settled.size());
    }

    private boolean followLanes() {
        long now = context.turns().nanos();
        broadcasts.forEach(each -> each.follow(now));
        for (PartitionStream stream : streams) {
            stream.groups().forEach(group -> followLane(stream, group));
        }
        context.lanes().forgetProgress();
        return context.registry().reading(this::dropEmpty);
    }

    /** Rule 5: another lane serves the group; no cursor moves, and unsettled matches go back for the new lane. */
    private void followLane(PartitionStream stream, Group group) {
        Lane serving = context.lanes().serving(group.key);
        if (group.lane != null && group.lane != serving) {
            offering.putBack(stream, group, group.acked(stream.tail()));
        }
    }

    /**
     * Removes main groups that no gateway serves and no subscription belongs to. Only with every registry change applied:
     * a subscription that has moved is placed by the group it was in.
     */
    private boolean dropEmpty() {
        if (opened && follower.follow()) {
            for (PartitionStream stream : streams) {
                stream.groups().forEach(group -> {
                    boolean unserved = group.isMain()
                            && !group.isAtTail()
                            && !group.key.isBroadcast()
                            && context.lanes().serving(group.key) == null;
                    if (unserved && !hasMembers(group)) {
                        stream.groups().remove(group);
                    }
                });
            }
        }
        return true;
    }

    private boolean hasMembers(Group main) {
        boolean[] found = new boolean[1];
        context.registry()
                .forEachOf(
                        main.key.home(),
                        each -> found[0] |= GroupKey.of(each, "").equals(main.key));
        return found[0];
    }

    private void settle(PendingDelivery delivery) {
        if (delivery.counted) {
            return;
        }
        delivery.counted = true;
        if (delivery.awaited != null) {
            delivery.awaited.inFlight--;
        }
        GivenEvent given = delivery.given;
        if (given == null) {
            resyncs.settled(delivery);
            return;
        }
        if (delivery.withdrawn || given.voided) {
            return;
        }
        Group group = given.group;
        group.stuck = false;
        if (group.settle(given)) {
            group.stream.tidy(group);
        }
    }

    /** A subscription that is stuck leaves its group: the others go on without it. */
    private void placeApart(PendingDelivery delivery) {
        GivenEvent given = delivery.given;
        if (given == null || given.voided || delivery.withdrawn || given.group.stuck || delivery.representative) {
            return;
        }
        long stuck = streams.stream()
                .flatMap(stream -> stream.groups().sides().stream())
                .filter(group -> group.stuck)
                .count();
        var found = context.registry().find(delivery.subscriptionId());
        if (found == null || stuck >= context.settings().lanes().stuck().most()) {
            return;
        }
        for (PartitionStream stream : streams) {
            if (stream.groups() == given.group.stream) {
                follower.placeApart(stream, found, given.group);
            }
        }
    }

    private boolean giveResyncs() {
        if (!resyncs.isEmpty() && !streams.isEmpty()) {
            PartitionStream first = streams.getFirst();
            arrived.fill(context.registry().reading(() -> resyncs.give(first.log(), first.tail())));
        }
        return true;
    }

    /** Sends what lanes were given, while no lock is held. */
    private void pump() {
        List<Lane> filled = locked(offering::takeFilled);
        filled.forEach(Lane::pump);
        arrived.takeFilled().forEach(Lane::pump);
    }

    // Positions.

    private SavedPosition position() {
        if (!opened) {
            return saved == null ? new SavedPosition(context.registry().identity(), 0, Map.of(), List.of()) : saved;
        }
        SavedPosition now = new PositionNow(streams, ending)
                .position(context.registry().identity(), follower.applied(), resyncs.owed());
        // A log that is not there now may come back: its place is kept.
        return saved == null ? now : now.withLogsOf(saved);
    }

    /** The lowest place of each log up to which these groups have settled everything; null while that is not known. */
    @Nullable
    Places lowWater(Collection<GroupKey> groups) {
        return ifFree(() -> new PositionNow(streams, false).lowWater(groups));
    }

    /** How far the gateway's own subscriptions have got; null while that is not known. */
    @Nullable
    Passed passed(String gatewayId) {
        return ifFree(() -> new PositionNow(streams, false).passed(gatewayId, this));
    }

    long applied() {
        return follower.applied();
    }

    // The end.

    /** Nothing new is taken in; what is on its way goes on. */
    void stopTakingIn() {
        takingIn = false;
        wake();
    }

    boolean isTakingIn() {
        return open && takingIn;
    }

    /** Whether nothing is on its way that a gateway could still acknowledge. */
    boolean isDrained() {
        return context.lanes().all().stream().noneMatch(lane -> lane.isReachable() && lane.holds(this));
    }

    /** Counts what arrived and reports the final position. */
    void finish() {
        locked(() -> {
            ending = true;
            return takeArrived();
        });
        if (open) {
            saver.report();
        }
    }

    /** It is not ours any more: what is on its way counts for nothing. */
    void close() {
        open = false;
        withdrawAll();
        wake();
    }

    private void withdrawAll() {
        for (Lane lane : context.lanes().all()) {
            Awaited unused = lane.withdraw(each -> each.sender == this, each -> {});
            lane.pump();
        }
    }

    private boolean closeStreams() {
        streams.forEach(PartitionStream::close);
        return true;
    }

    // For status reports.

    PartitionReport report() {
        return locked(() -> new PartitionReport(this, context, gauge, streams, resyncs.isEmpty()));
    }
}

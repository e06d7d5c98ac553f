package dev.sluice.lane;

import dev.sluice.deliver.Deliverer;
import dev.sluice.model.Priority;
import dev.sluice.run.Turns;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything on its way to one gateway, of all partitions: a bounded queue per priority class, batches of what they hold,
 * several under way at once, each repeated until nothing of it is left. What does not fit is not taken: whoever offers it
 * remembers a position instead.
 *
 * <p>It has no thread: {@link #pump} sends what may go out now, and whoever adds something or learns an outcome calls it.
 * Its lock is never held while a deliverer, a sender or the dead letters are called; {@link #withdraw} alone hands deliveries
 * to its caller under it.
 */
public final class Lane {
    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    /** Whether a class may be given more. */
    public enum Room {
        YES,
        /** Only classes above the lowest may. */
        SOFT,
        HARD,
        UNREACHABLE
    }

    private final String gatewayId;
    private final LaneSettings settings;
    private final Turns turns;
    private final LaneCounters counters;
    private final Backoff backoff;
    private final GatewayLink link;
    private final LaneRoom room;
    private final LaneQueues queues;
    private final InFlightBatches inFlight = new InFlightBatches();
    private final KnownDefinitions definitions = new KnownDefinitions();
    private final RecentAnswers answers;
    private final LaneDispatch dispatch;
    private final LaneSettlement settlement;

    /**
     * @param node whose partitions it sends for
     * @param progress how far this gateway has got; asked while no lock is held
     */
    Lane(
            String gatewayId,
            LaneSettings settings,
            Turns turns,
            LaneCounters counters,
            LetterBox letters,
            Lanes.Node node,
            Supplier<Lanes.Told> progress) {
        this.gatewayId = gatewayId;
        this.settings = settings;
        this.turns = turns;
        this.counters = counters;
        this.backoff = new Backoff(settings.retry(), turns);
        this.link = new GatewayLink(new GatewayBreaker(gatewayId, settings.breaker(), turns));
        this.room = new LaneRoom(settings, node::partitions);
        this.queues = new LaneQueues(settings, room);
        this.answers = new RecentAnswers(settings.stuck().after().toNanos());
        this.dispatch = new LaneDispatch(
                this, settings, turns, link, queues, inFlight, new LeaseHold(this, node::untilDeadline), progress);
        this.settlement = new LaneSettlement(this, turns, letters, queues, inFlight);
    }

    public String gatewayId() {
        return gatewayId;
    }

    LaneCounters counters() {
        return counters;
    }

    /** Which subscriptions of others the gateway knows. */
    KnownDefinitions definitions() {
        return definitions;
    }

    /** What becomes of deliveries after an attempt. */
    LaneSettlement settlement() {
        return settlement;
    }

    synchronized <T extends @Nullable Object> T locked(Supplier<T> work) {
        return work.get();
    }

    // Whether it is there.

    /** It is there, perhaps at another address: from now on this is how it is reached. */
    void up(Deliverer way) {
        definitions.forget();
        dispatch.forgetTold();
        boolean broken = isBroken();
        Duration unfenced = way.unfencedFor();
        Deliverer before = locked(() -> {
            inFlight.retryNow(turns.nanos());
            return link.up(way, unfenced);
        });
        if (before != null) {
            before.close();
        }
        sayIfMended(broken);
        pump();
    }

    /** It has registered again, or is back, where it was: it may have started anew. */
    public void back() {
        definitions.forget();
        dispatch.forgetTold();
        boolean broken = isBroken();
        synchronized (this) {
            link.back();
            inFlight.retryNow(turns.nanos());
        }
        sayIfMended(broken);
        pump();
    }

    /** Nothing more goes out; what it holds it keeps. */
    synchronized void away() {
        link.away();
    }

    void close() {
        Deliverer way = locked(link::close);
        if (way != null) {
            way.close();
        }
    }

    synchronized boolean isBroken() {
        return link.isBroken();
    }

    void sayIfMended(boolean wasBroken) {
        if (wasBroken && !isBroken()) {
            LOG.atInfo()
                    .addKeyValue("gateway", gatewayId)
                    .log("breaker closed: the gateway can be reached again, and delivery goes on");
        }
    }

    /** Whether its gateway is gone: nothing goes out here any more. */
    synchronized boolean isClosed() {
        return link.isClosed();
    }

    public synchronized boolean isReachable() {
        return link.isReachable();
    }

    /** Why nothing can be sent; {@link LaneStatus#lastError} shows it. */
    synchronized void failed(String reason) {
        link.failed(reason, turns.now());
    }

    /** Whether the gateway has not registered again since an attempt began. */
    synchronized boolean isCurrent(long registration) {
        return link.isCurrent(registration);
    }

    /** It answered an empty batch. */
    synchronized void answers() {
        link.answers();
    }

    // What it holds.

    /** Whether a partition may hand over more of what comes from the tail. */
    public synchronized Room room(Priority priority, Sender sender) {
        return link.isReachable() ? room.of(priority, sender) : Room.UNREACHABLE;
    }

    /** Whether a partition may hand over more of what it reads again. It is woken when it may, once, if it may not now. */
    public synchronized boolean hasRoomToCatchUp(Priority priority, Sender sender) {
        return link.isReachable() && room.mayCatchUp(priority, sender);
    }

    synchronized boolean hasRoomForLetter() {
        return link.isReachable() && room.mayRetryLetter();
    }

    /** All matches of one event and class; {@link #room} was asked before. */
    public synchronized void add(List<PendingDelivery> owed) {
        queues.add(owed);
        counters.longestQueue.accumulateAndGet(room.held(owed.getFirst().priority), Math::max);
    }

    /**
     * Withdraws the deliveries that are meant: they are not sent again and count for no cursor. Returns those whose attempt is
     * under way, as {@link PendingDelivery#awaited}: their partition hears when they have landed.
     *
     * @param withdrawn gets every delivery that is meant and not settled
     */
    public synchronized Awaited withdraw(Predicate<PendingDelivery> which, Consumer<PendingDelivery> withdrawn) {
        Awaited awaited = new Awaited();
        Predicate<PendingDelivery> meant = each -> !each.withdrawn && which.test(each);
        List<PendingDelivery> waiting = new ArrayList<>(queues.remove(meant));
        waiting.addAll(inFlight.withdrawWaiting(meant, queues));
        waiting.forEach(each -> each.withdrawn = true);
        waiting.forEach(withdrawn);
        inFlight.all().filter(meant).toList().forEach(each -> {
            each.withdrawn = true;
            // What was sent to a gateway that is gone is not waited for: its next lane does, if it comes back.
            if (!each.done && !each.counted && !link.isClosed()) {
                each.awaited = awaited;
                awaited.inFlight++;
            }
            withdrawn.accept(each);
        });
        return awaited;
    }

    /** The gateway wants this delivery later. Returns whether it has done so for too long, while it acknowledges most others. */
    synchronized boolean isStuck(PendingDelivery delivery) {
        return answers.isStuck(delivery, turns.nanos());
    }

    synchronized void answered(int acknowledged, int later) {
        answers.add(acknowledged, later, turns.nanos());
    }

    /** Whether it holds something of this partition. */
    public synchronized boolean holds(Sender sender) {
        return held().anyMatch(each -> each.sender == sender);
    }

    private Stream<PendingDelivery> held() {
        return Stream.concat(queues.waiting(), inFlight.all());
    }

    public synchronized LaneStatus status(List<LaneStatus.Behind> behind) {
        Stream<Instant> unacknowledged = Stream.concat(
                held().filter(each -> each.letterId == null)
                        .map(each -> Instant.ofEpochMilli(each.event.event().timestamp())),
                behind.stream().flatMap(each -> each.oldest().stream()));
        return new LaneStatus(
                gatewayId,
                link.isUp() ? "up" : "away",
                link.breakerState(),
                room.held(),
                inFlight.flying(),
                behind,
                LaneStatus.age(unacknowledged, turns.now()),
                Optional.ofNullable(link.lastError()));
    }

    /**
     * @param sender the partition whose room is asked for; null: none
     * @param flow of the subscription that is asked for; null: it has none here
     */
    public synchronized LaneView view(@Nullable Sender sender, @Nullable Flow flow, Priority priority) {
        String full = sender == null ? null : room.whyFull(priority, sender);
        return LaneView.of(link, full, inFlight, flow, turns.nanos());
    }

    // What goes out.

    /** Sends all that may go out now, and wakes partitions that were refused room and have it now. */
    public void pump() {
        dispatch.pump();
        locked(() -> link.isReachable() ? room.takeRefused() : List.<Sender>of())
                .forEach(Sender::wake);
    }

    /** Tells a gateway to which nothing has gone for a while how far its partitions have got. */
    void tellIfIdle() {
        dispatch.tellIfIdle();
    }

    /** The gateway is back: it had this lane before. */
    synchronized void follows(Lane before) {
        dispatch.follows(before);
    }

    synchronized boolean isFlying() {
        return inFlight.flying() > 0;
    }

    /** How long to wait after so many failures in a row. */
    long backoff(int failures) {
        return backoff.nanosAfter(failures);
    }
}

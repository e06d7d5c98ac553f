package dev.sluice.route;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.Introductions;
import dev.sluice.deliver.Passed;
import dev.sluice.model.Priority;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
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
 * Its lock is never held while a deliverer, a partition or the dead letters are called.
 */
final class Lane {
    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    private static final long TELL_IDLE_AFTER_NANOS = 2_000_000_000L;
    private static final Duration LOOK_AT_PREDECESSOR = Duration.ofMillis(20);

    /** Whether a class may be given more. */
    enum Room {
        YES,
        /** Only classes above the lowest may. */
        SOFT,
        HARD,
        UNREACHABLE
    }

    private final String gatewayId;
    private final LaneSettings settings;
    private final Turns turns;
    private final StreamerCounters counters;
    private final LetterBox letters;
    private final Supplier<Lanes.Told> progress;
    private final Backoff backoff;
    private final GatewayLink link;
    private final LaneQueues queues;
    private final InFlightBatches inFlight = new InFlightBatches();
    private final KnownDefinitions definitions = new KnownDefinitions();
    private final RecentAnswers answers;
    private final Pump pump;

    private volatile long toldAt;
    private volatile List<Passed> lastTold = List.of();

    /** The lane this gateway had before it was gone: nothing goes out here before its attempts have landed. */
    private @Nullable Lane predecessor;

    /** @param progress how far this gateway has got; asked while no lock is held */
    Lane(
            String gatewayId,
            LaneSettings settings,
            Turns turns,
            StreamerCounters counters,
            LetterBox letters,
            Supplier<Lanes.Told> progress) {
        this.gatewayId = gatewayId;
        this.settings = settings;
        this.turns = turns;
        this.counters = counters;
        this.letters = letters;
        this.backoff = new Backoff(settings.retry(), turns);
        this.progress = progress;
        this.link = new GatewayLink(new GatewayBreaker(gatewayId, settings.breaker(), turns));
        this.queues = new LaneQueues(settings);
        this.answers = new RecentAnswers(settings.stuck().after().toNanos());
        this.pump = new Pump(turns, this::next);
    }

    String gatewayId() {
        return gatewayId;
    }

    StreamerCounters counters() {
        return counters;
    }

    /** Which subscriptions of others the gateway knows. */
    KnownDefinitions definitions() {
        return definitions;
    }

    synchronized <T> T locked(Supplier<T> work) {
        return work.get();
    }

    // Whether it is there.

    /** It is there, perhaps at another address: from now on this is how it is reached. */
    void up(Deliverer way) {
        definitions.forget();
        lastTold = List.of();
        boolean broken = isBroken();
        Deliverer before = locked(() -> {
            inFlight.retryNow(turns.nanos());
            return link.up(way);
        });
        if (before != null) {
            before.close();
        }
        sayIfMended(broken);
        pump();
    }

    /** It has registered again, or is back, where it was: it may have started anew. */
    void back() {
        definitions.forget();
        lastTold = List.of();
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

    private synchronized boolean isBroken() {
        return link.isBroken();
    }

    private void sayIfMended(boolean wasBroken) {
        if (wasBroken && !isBroken()) {
            LOG.atInfo()
                    .addKeyValue("gateway", gatewayId)
                    .log("breaker closed: the gateway can be reached again, and delivery goes on");
        }
    }

    synchronized boolean isReachable() {
        return link.isReachable();
    }

    /** Why nothing can be sent; {@link StreamerStatus.OfLane#lastError} shows it. */
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

    /** For what comes from the head. */
    synchronized Room room(Priority priority) {
        if (!link.isReachable()) {
            return Room.UNREACHABLE;
        }
        int percent = queues.percent(priority);
        if (percent >= settings.queue().hard()) {
            return Room.HARD;
        }
        return priority == Priority.LOW && percent >= settings.queue().soft() ? Room.SOFT : Room.YES;
    }

    /** For what is read again: it leaves room for the head, so that a class that rejoins does not fall behind at once. */
    synchronized boolean hasRoomToCatchUp(Priority priority) {
        return link.isReachable() && queues.percent(priority) < settings.queue().soft() / 2;
    }

    /** All matches of one event and class; {@link #room} was asked before. Returns whether a batch is full. */
    synchronized boolean add(List<PendingDelivery> owed) {
        boolean full = queues.add(owed);
        counters.longestQueue.accumulateAndGet(queues.held(owed.getFirst().priority), Math::max);
        return full;
    }

    /**
     * Withdraws the deliveries that are meant: they are not sent again and count for no cursor. Returns those whose attempt is
     * under way, as {@link PendingDelivery#awaited}: their partition hears when they have landed.
     *
     * @param withdrawn gets every delivery that is meant and not settled
     */
    synchronized Awaited withdraw(Predicate<PendingDelivery> which, Consumer<PendingDelivery> withdrawn) {
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

    /** Whether the gateway has wanted this delivery later for too long, while it acknowledges most others. */
    synchronized boolean isStuck(PendingDelivery delivery) {
        long now = turns.nanos();
        if (delivery.laterSince == 0) {
            delivery.laterSince = now;
        }
        return now - delivery.laterSince >= settings.stuck().after().toNanos() && answers.mostAcknowledged();
    }

    synchronized void answered(int acknowledged, int later) {
        answers.add(acknowledged, later, turns.nanos());
    }

    /** Whether it holds something of this partition. */
    synchronized boolean holds(Sender sender) {
        return held().anyMatch(each -> each.sender == sender);
    }

    private Stream<PendingDelivery> held() {
        return Stream.concat(queues.waiting(), inFlight.all());
    }

    synchronized StreamerStatus.OfLane status(List<StreamerStatus.Behind> behind) {
        Stream<Instant> unacknowledged = Stream.concat(
                held().filter(each -> each.letterId == null)
                        .map(each -> Instant.ofEpochMilli(each.event.event().timestamp())),
                behind.stream().flatMap(each -> each.oldest().stream()));
        return new StreamerStatus.OfLane(
                gatewayId,
                link.isUp() ? "up" : "away",
                link.breakerState(),
                queues.held(),
                inFlight.flying(),
                behind,
                StreamerStatus.age(unacknowledged, turns.now()),
                Optional.ofNullable(link.lastError()));
    }

    // What goes out.

    /** Sends all that may go out now. */
    void pump() {
        pump.run();
    }

    private synchronized @Nullable Runnable next() {
        Deliverer way = link.way();
        if (way == null) {
            return null;
        }
        if (link.isBroken()) {
            return nextProbe(way);
        }
        Shipment shipment = due();
        if (shipment == null) {
            shipment = load();
        }
        if (shipment == null) {
            return null;
        }
        Attempt attempt = new Attempt(this, settings, way, link.registration(), shipment);
        long start = turns.nanos();
        Runnable send = () -> send(attempt, start);
        inFlight.takeOff(shipment);
        return send;
    }

    private @Nullable Runnable nextProbe(Deliverer way) {
        if (link.isProbing()) {
            return null;
        }
        if (link.beginsProbe()) {
            long registration = link.registration();
            return () -> probe(way, registration);
        }
        pump.wakeIn(link.untilProbe());
        return null;
    }

    private @Nullable Shipment due() {
        long now = turns.nanos();
        Shipment due = inFlight.due(now);
        if (due == null) {
            inFlight.untilDue(now).ifPresent(left -> pump.wakeIn(Duration.ofNanos(left)));
        }
        return due;
    }

    /** The gateway is back: it had this lane before. */
    synchronized void follows(Lane before) {
        predecessor = before;
    }

    synchronized boolean isFlying() {
        return inFlight.flying() > 0;
    }

    private boolean awaitsPredecessor() {
        if (predecessor != null && predecessor.isFlying()) {
            pump.wakeIn(LOOK_AT_PREDECESSOR);
            return true;
        }
        predecessor = null;
        return false;
    }

    private @Nullable Shipment load() {
        if (awaitsPredecessor() || inFlight.flying() >= settings.inFlight() || !isTimeForABatch()) {
            return null;
        }
        long now = turns.nanos();
        List<PendingDelivery> batch = queues.takeBatch();
        if (batch.isEmpty()) {
            return null;
        }
        Shipment shipment = inFlight.add(batch, now);
        List<PendingDelivery> unwanted = shipment.unwanted();
        if (!unwanted.isEmpty()) {
            shipment.leaveOut(unwanted);
            shipment.releaseFlows();
            queues.forget(unwanted);
            inFlight.land(shipment, now);
        }
        return shipment.isEmpty() ? null : shipment;
    }

    /** At once when nothing is under way; otherwise it is worth waiting a little for more. */
    private boolean isTimeForABatch() {
        int ready = queues.ready();
        if (ready == 0) {
            return false;
        }
        if (inFlight.flying() == 0 || ready >= settings.batch().maxSize()) {
            return true;
        }
        long waited = turns.nanos() - queues.readySince();
        Duration untilNextLook = settings.batch().flushInterval();
        boolean lateAtNextLook =
                waited + untilNextLook.toNanos() > settings.batch().maxWait().toNanos();
        if (!lateAtNextLook) {
            pump.wakeIn(untilNextLook);
        }
        return lateAtNextLook;
    }

    /** Tells a gateway to which nothing has gone for a while how far its partitions have got. */
    void tellIfIdle() {
        Deliverer way = locked(() -> isIdle() ? link.way() : null);
        if (way != null) {
            toldAt = turns.nanos();
            List<Passed> passed = progress.get().passed();
            if (!passed.isEmpty() && !passed.equals(lastTold)) {
                lastTold = passed;
                Attempt.call(way, new DeliveryBatch(gatewayId, List.of(), Introductions.NONE, passed));
            }
        }
    }

    private boolean isIdle() {
        return link.isReachable()
                && inFlight.flying() == 0
                && queues.ready() == 0
                && turns.nanos() - toldAt >= TELL_IDLE_AFTER_NANOS;
    }

    private void send(Attempt attempt, long start) {
        toldAt = start;
        attempt.send(progress)
                .whenComplete((outcome, bug) -> attempt.handle(() -> {
                    count(outcome, start, attempt.registration(), attempt.shipment());
                    attempt.answered(outcome);
                }));
    }

    private void probe(Deliverer way, long registration) {
        long start = turns.nanos();
        Attempt.call(way, new DeliveryBatch(gatewayId, List.of())).whenComplete((outcome, bug) -> {
            synchronized (this) {
                if (link.isCurrent(registration)) {
                    link.probed();
                }
                count(outcome, start, registration, null);
            }
            pump();
        });
    }

    /** @param answered what the outcome is about; null: a probe */
    private void count(BatchOutcome outcome, long start, long registration, @Nullable Shipment answered) {
        counters.deliveryNanos.add(turns.nanos() - start);
        counters.failures.add(outcome instanceof BatchOutcome.RetryLater ? 1 : 0);
        boolean broken = isBroken();
        boolean lost = locked(() -> link.counts(outcome, registration, turns.now(), inFlight.failsBeside(answered)));
        sayIfMended(broken);
        if (lost && outcome instanceof BatchOutcome.RetryLater later) {
            LOG.atWarn()
                    .addKeyValue("gateway", gatewayId)
                    .addKeyValue("reason", later.reason())
                    .log("a gateway cannot be reached: what it is owed waits as a position in the log");
        }
    }

    // What comes back.

    /** How long to wait after so many failures in a row. */
    long backoff(int failures) {
        return backoff.nanosAfter(failures);
    }

    /**
     * Back from an attempt: it goes out again after the pause, or is over.
     *
     * @param change what the answer did to it
     * @param pause asked after that
     */
    void land(Shipment shipment, Consumer<Shipment> change, ToLongFunction<Shipment> pause) {
        List<PendingDelivery> unwanted = locked(() -> {
            change.accept(shipment);
            return shipment.unwanted();
        });
        settle(unwanted);
        List<PendingDelivery> late;
        synchronized (this) {
            long again = turns.nanos() + pause.applyAsLong(shipment);
            shipment.leaveOut(unwanted);
            // Withdrawn since: without another attempt nothing else would settle them.
            late = shipment.unwanted();
            shipment.leaveOut(late);
            shipment.releaseFlows();
            inFlight.land(shipment, again);
        }
        settle(late);
    }

    void delivered(List<PendingDelivery> taken) {
        counters.batches.add(taken.isEmpty() ? 0 : 1);
        counters.delivered.add(taken.size());
        for (PendingDelivery each : taken) {
            if (each.letterId != null) {
                letters.delivered(each.letterId);
            }
        }
        settle(taken);
    }

    /** Frees what was theirs, here and in their partitions. */
    private void settle(List<PendingDelivery> done) {
        if (done.isEmpty()) {
            return;
        }
        Map<Sender, List<PendingDelivery>> bySender = new LinkedHashMap<>();
        for (PendingDelivery each : done) {
            bySender.computeIfAbsent(each.sender, none -> new ArrayList<>()).add(each);
        }
        bySender.forEach((sender, theirs) -> {
            sender.settled(theirs);
            // Only now: whatever fails before, they go out again.
            synchronized (this) {
                theirs.forEach(each -> each.done = true);
                queues.forget(theirs);
            }
        });
    }

    void bury(List<LetterBox.Refused> rejected) {
        if (rejected.isEmpty()) {
            return;
        }
        for (LetterBox.Refused each : rejected) {
            LOG.atWarn()
                    .addKeyValue("gateway", gatewayId)
                    .addKeyValue("subscription", each.owed().subscriptionId())
                    .addKeyValue("event", each.owed().event.event().id())
                    .addKeyValue("reason", each.reason())
                    .log("a gateway refuses an event: it becomes a dead letter");
        }
        List<PendingDelivery> owed =
                rejected.stream().map(LetterBox.Refused::owed).toList();
        synchronized (this) {
            owed.forEach(each -> each.done = true);
            inFlight.bury(owed);
        }
        try {
            letters.put(gatewayId, rejected, () -> {
                synchronized (this) {
                    inFlight.buried(owed);
                }
                settle(owed);
                pump();
            });
        } catch (Throwable notOnTheirWay) {
            synchronized (this) {
                owed.forEach(each -> each.done = false);
                inFlight.buried(owed);
            }
            throw notOnTheirWay;
        }
    }
}

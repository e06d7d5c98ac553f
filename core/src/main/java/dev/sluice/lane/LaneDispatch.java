package dev.sluice.lane;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.Introductions;
import dev.sluice.deliver.Passed;
import dev.sluice.run.Turns;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a lane sends, and when: batches that are due again, new batches, probes of a gateway whose breaker is open, and progress
 * to a gateway to which nothing else goes. The lane's lock is not held while a deliverer is called.
 */
final class LaneDispatch {
    private static final Logger LOG = LoggerFactory.getLogger(LaneDispatch.class);
    private static final long TELL_IDLE_AFTER_NANOS = 2_000_000_000L;
    private static final Duration LOOK_AT_PREDECESSOR = Duration.ofMillis(20);

    private final Lane lane;
    private final LaneSettings settings;
    private final Turns turns;
    private final GatewayLink link;
    private final LaneQueues queues;
    private final InFlightBatches inFlight;
    private final LeaseHold lease;
    private final Supplier<Lanes.Told> progress;
    private final Pump pump;

    private volatile long toldAt;
    private volatile List<Passed> lastTold = List.of();
    private @Nullable Lane predecessor;

    /** @param progress how far this gateway has got; asked while no lock is held */
    LaneDispatch(
            Lane lane,
            LaneSettings settings,
            Turns turns,
            GatewayLink link,
            LaneQueues queues,
            InFlightBatches inFlight,
            LeaseHold lease,
            Supplier<Lanes.Told> progress) {
        this.lane = lane;
        this.settings = settings;
        this.turns = turns;
        this.link = link;
        this.queues = queues;
        this.inFlight = inFlight;
        this.lease = lease;
        this.progress = progress;
        this.pump = new Pump(turns, () -> lane.locked(this::next));
    }

    /** The lane this gateway had before it was gone: nothing goes out here before its attempts have landed. Guarded by the lane. */
    void follows(Lane before) {
        predecessor = before;
    }

    /** Sends all that may go out now. */
    void pump() {
        pump.run();
    }

    /** The gateway may have started anew: it is told again. */
    void forgetTold() {
        lastTold = List.of();
    }

    private @Nullable Runnable next() {
        Deliverer way = link.way();
        if (way == null) {
            return null;
        }
        if (link.isBroken()) {
            return nextProbe(way);
        }
        if (lease.holdsBack(link.unfencedFor())) {
            pump.wakeIn(LeaseHold.LOOK_AGAIN);
            return null;
        }
        Shipment shipment = due();
        if (shipment == null) {
            shipment = load();
        }
        if (shipment == null) {
            return null;
        }
        Attempt attempt = new Attempt(lane, settings, way, link.registration(), shipment);
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
        Deliverer way = lane.locked(() -> isIdle() ? link.way() : null);
        if (way != null) {
            toldAt = turns.nanos();
            List<Passed> passed = progress.get().passed();
            if (!passed.isEmpty() && !passed.equals(lastTold)) {
                lastTold = passed;
                Attempt.call(way, new DeliveryBatch(lane.gatewayId(), List.of(), Introductions.NONE, passed))
                        .whenComplete((outcome, bug) -> {
                            if (!Attempt.answers(outcome)) {
                                forgetTold();
                            }
                        });
            }
        }
    }

    private boolean isIdle() {
        return link.isReachable()
                && inFlight.isEmpty()
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
        Attempt.call(way, new DeliveryBatch(lane.gatewayId(), List.of())).whenComplete((outcome, bug) -> {
            synchronized (lane) {
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
        lane.counters().deliveryNanos.add(turns.nanos() - start);
        lane.counters().failures.add(outcome instanceof BatchOutcome.RetryLater ? 1 : 0);
        boolean broken = lane.isBroken();
        boolean lost =
                lane.locked(() -> link.counts(outcome, registration, turns.now(), inFlight.failsBeside(answered)));
        lane.sayIfMended(broken);
        if (lost && outcome instanceof BatchOutcome.RetryLater later) {
            LOG.atWarn()
                    .addKeyValue("gateway", lane.gatewayId())
                    .addKeyValue("reason", later.reason())
                    .log("a gateway cannot be reached: what it is owed waits as a position in the log");
        }
    }
}

package dev.sluice.lane;

import dev.sluice.run.Turns;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of a lane's deliveries after an attempt: done, a dead letter, or sent again. The lane's lock is not held while a
 * partition or the dead letters are called.
 */
final class LaneSettlement {
    private static final Logger LOG = LoggerFactory.getLogger(LaneSettlement.class);

    private final Lane lane;
    private final Turns turns;
    private final LetterBox letters;
    private final LaneQueues queues;
    private final InFlightBatches inFlight;

    LaneSettlement(Lane lane, Turns turns, LetterBox letters, LaneQueues queues, InFlightBatches inFlight) {
        this.lane = lane;
        this.turns = turns;
        this.letters = letters;
        this.queues = queues;
        this.inFlight = inFlight;
    }

    /**
     * Back from an attempt: it goes out again after the pause, or is over.
     *
     * @param change what the answer did to it
     * @param pause asked after that
     */
    void land(Shipment shipment, Consumer<Shipment> change, ToLongFunction<Shipment> pause) {
        List<PendingDelivery> unwanted = lane.locked(() -> {
            change.accept(shipment);
            return shipment.unwanted();
        });
        settle(unwanted);
        List<PendingDelivery> late;
        synchronized (lane) {
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
        lane.counters().batches.add(taken.isEmpty() ? 0 : 1);
        lane.counters().delivered.add(taken.size());
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
            synchronized (lane) {
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
                    .addKeyValue("gateway", lane.gatewayId())
                    .addKeyValue("subscription", each.owed().subscriptionId())
                    .addKeyValue("event", each.owed().event.event().id())
                    .addKeyValue("reason", each.reason())
                    .log("a gateway refuses an event: it becomes a dead letter");
        }
        List<PendingDelivery> owed =
                rejected.stream().map(LetterBox.Refused::owed).toList();
        synchronized (lane) {
            owed.forEach(each -> each.done = true);
            inFlight.bury(owed);
        }
        try {
            letters.put(lane.gatewayId(), rejected, () -> {
                synchronized (lane) {
                    inFlight.buried(owed);
                }
                settle(owed);
                lane.pump();
            });
        } catch (Throwable notOnTheirWay) {
            synchronized (lane) {
                owed.forEach(each -> each.done = false);
                inFlight.buried(owed);
            }
            throw notOnTheirWay;
        }
    }
}

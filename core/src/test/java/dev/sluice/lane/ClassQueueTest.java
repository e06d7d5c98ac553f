package dev.sluice.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.EventOutcome;
import dev.sluice.model.Priority;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What waits for a gateway, and what becomes of one batch of it. */
class ClassQueueTest {
    private static final Sender SENDER = new TestPartition(0);
    private final Map<String, Flow> flows = new HashMap<>();

    private PendingDelivery owed(String subscription, long number, Sender sender) {
        return owed(subscription, number, sender, false);
    }

    private PendingDelivery representative(String subscription, long number) {
        return owed(subscription, number, SENDER, true);
    }

    private PendingDelivery owed(String subscription, long number, Sender sender, boolean representative) {
        Flow flow =
                flows.computeIfAbsent(subscription + sender.partition(), key -> new Flow(subscription, null, null, 0));
        return TestPartition.owed(sender, flow, Priority.NORMAL, number, representative);
    }

    private static List<PendingDelivery> take(ClassQueue queue, int most) {
        List<PendingDelivery> taken = new ArrayList<>();
        queue.take(taken, most, Long.MAX_VALUE);
        return taken;
    }

    /** All of a batch is done. */
    private static void release(List<PendingDelivery> batch) {
        Shipment shipment = new Shipment(batch);
        shipment.done(batch.size());
        shipment.releaseFlows();
    }

    /** Row 31: at most one unacknowledged batch per subscription and partition. */
    @Test
    void row31_whatFollowsSomethingUnderWayWaitsAndThenGoesFirst() {
        ClassQueue queue = new ClassQueue();
        PendingDelivery a1 = owed("a", 1, SENDER);
        PendingDelivery a2 = owed("a", 2, SENDER);
        PendingDelivery b1 = owed("b", 3, SENDER);
        PendingDelivery a3 = owed("a", 4, SENDER);
        List.of(a1, a2, b1, a3).forEach(queue::add);
        List<PendingDelivery> first = take(queue, 1);
        assertThat(first).containsExactly(a1);
        assertThat(take(queue, 5)).as("a waits for its first").containsExactly(b1);
        assertThat(take(queue, 5)).isEmpty();
        assertThat(queue.ready()).isZero();
        release(first);
        assertThat(queue.ready()).isEqualTo(2);
        assertThat(take(queue, 5)).containsExactly(a2, a3);
    }

    @Test
    void ofALongLineOnlySoManyGoOutAndTheRestKeepsItsPlace() {
        ClassQueue queue = new ClassQueue();
        List<PendingDelivery> line = new ArrayList<>();
        for (int k = 1; k <= 6; k++) {
            line.add(owed("a", k, SENDER));
        }
        line.forEach(queue::add);
        List<PendingDelivery> first = take(queue, 1);
        assertThat(take(queue, 5)).isEmpty();
        release(first);
        List<PendingDelivery> second = take(queue, 2);
        assertThat(second).isEqualTo(line.subList(1, 3));
        release(second);
        assertThat(take(queue, 10)).isEqualTo(line.subList(3, 6));
    }

    /** Row 39: it stands for other subscriptions. */
    @Test
    void row39_aRepresentativeWaitsForAllThatIsUnderWayAndWhatFollowsItSharesItsBatchOrWaits() {
        ClassQueue queue = new ClassQueue();
        PendingDelivery a1 = owed("a", 1, SENDER);
        PendingDelivery rep = representative("b", 2);
        PendingDelivery c1 = owed("c", 3, SENDER);
        PendingDelivery next = representative("d", 4);
        PendingDelivery a2 = owed("a", 5, SENDER);
        List.of(a1, rep, c1, next, a2).forEach(queue::add);
        List<PendingDelivery> first = take(queue, 1);
        assertThat(first).containsExactly(a1);
        assertThat(take(queue, 5)).as("a may be among those it stands for").isEmpty();
        release(first);
        List<PendingDelivery> second = take(queue, 3);
        assertThat(second).as("a batch keeps its order").containsExactly(rep, c1, next);
        assertThat(take(queue, 5)).as("a may be among those they stand for").isEmpty();
        release(second);
        assertThat(take(queue, 5)).containsExactly(a2);
        assertThat(queue.ready()).isZero();
    }

    @Test
    void row39_aRepresentativeGoesBehindThoseThatWaitedForTheirTurn() {
        ClassQueue queue = new ClassQueue();
        PendingDelivery a1 = owed("a", 1, SENDER);
        PendingDelivery a2 = owed("a", 2, SENDER);
        PendingDelivery a3 = owed("a", 3, SENDER);
        PendingDelivery rep = representative("b", 4);
        List.of(a1, a2, a3, rep).forEach(queue::add);
        List<PendingDelivery> first = take(queue, 1);
        assertThat(take(queue, 5)).isEmpty();
        release(first);
        List<PendingDelivery> second = take(queue, 1);
        assertThat(second).containsExactly(a2);
        assertThat(take(queue, 5)).isEmpty();
        release(second);
        assertThat(take(queue, 5)).containsExactly(a3, rep);
    }

    @Test
    void whatIsRemovedLeavesNoTrace() {
        ClassQueue queue = new ClassQueue();
        PendingDelivery a1 = owed("a", 1, SENDER);
        PendingDelivery a2 = owed("a", 2, SENDER);
        PendingDelivery b1 = owed("b", 3, SENDER);
        List.of(a1, a2, b1).forEach(queue::add);
        List<PendingDelivery> first = take(queue, 1);
        assertThat(take(queue, 5)).containsExactly(b1);
        assertThat(queue.remove(each -> each == a2)).containsExactly(a2);
        release(first);
        assertThat(queue.ready()).isZero();
        assertThat(take(queue, 5)).isEmpty();
    }

    /** Row 23: a refused batch is halved until the event is alone; what is good goes out on the way. */
    @Test
    void row23_aRefusedBatchIsHalvedUntilTheEventIsAlone() {
        List<PendingDelivery> batch = new ArrayList<>();
        for (int k = 0; k < 8; k++) {
            batch.add(owed("s" + k, k, SENDER));
        }
        PendingDelivery bad = batch.get(5);
        Shipment shipment = new Shipment(batch);
        List<PendingDelivery> delivered = new ArrayList<>();
        int attempts = 0;
        while (!shipment.isEmpty()) {
            List<PendingDelivery> part = shipment.part();
            attempts++;
            if (part.contains(bad) && part.size() > 1) {
                shipment.halve(part.size());
            } else {
                delivered.addAll(part);
                shipment.done(part.size());
            }
        }
        assertThat(delivered).isEqualTo(batch);
        assertThat(attempts).isLessThanOrEqualTo(8);
    }

    @Test
    void whatAGatewayWantsLaterIsNumberedAnewAndSoIsWhatFollowsIt() {
        PendingDelivery a1 = owed("a", 1, SENDER);
        PendingDelivery a2 = owed("a", 2, SENDER);
        PendingDelivery b1 = owed("b", 3, SENDER);
        List<PendingDelivery> batch = List.of(a1, b1, a2);
        for (int k = 0; k < 3; k++) {
            batch.get(k).seq = k + 1;
        }
        Shipment shipment = new Shipment(batch);
        shipment.halve(3);
        shipment.later(shipment.part(), List.of(new EventOutcome.RetryLater("busy")));
        assertThat(shipment.part()).isEqualTo(batch);
        assertThat(a1.seq).isZero();
        assertThat(a2.seq).isZero();
        assertThat(b1.seq).isEqualTo(2);
    }

    /** Row 23: a stale token stops the partition it belongs to, and no other. */
    @Test
    void row23_aFencedBatchGoesOutAgainPartitionByPartition() {
        PendingDelivery a = owed("a", 1, new TestPartition(1));
        PendingDelivery b = owed("b", 2, new TestPartition(0));
        PendingDelivery c = owed("c", 3, new TestPartition(1));
        Shipment shipment = new Shipment(List.of(a, b, c));
        assertThat(shipment.isOfOnePartition(shipment.part())).isFalse();
        shipment.splitByPartition();
        assertThat(shipment.part()).containsExactly(b);
        shipment.done(1);
        assertThat(shipment.part()).containsExactly(a, c);
    }

    @Test
    void aFlowIsFreeWhenNothingOfWhatIsLeftNeedsIt() {
        ClassQueue queue = new ClassQueue();
        PendingDelivery a1 = owed("a", 1, SENDER);
        PendingDelivery b1 = owed("b", 2, SENDER);
        PendingDelivery a2 = owed("a", 3, SENDER);
        List.of(a1, b1, a2).forEach(queue::add);
        Shipment shipment = new Shipment(take(queue, 3));
        shipment.done(2);
        shipment.releaseFlows();
        assertThat(b1.flow.busyIn).isNull();
        assertThat(a1.flow.busyIn).isSameAs(queue);
        shipment.done(1);
        shipment.releaseFlows();
        assertThat(a1.flow.busyIn).isNull();
    }
}

package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.EventType;
import dev.sluice.deliver.OutgoingEvent;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Operation;
import dev.sluice.model.Priority;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What waits for a gateway, and what becomes of one batch of it. */
class ClassQueueTest {
    private static final Sender SENDER = sender(0);

    private static Sender sender(int partition) {
        return new Sender() {
            @Override
            public int partition() {
                return partition;
            }

            @Override
            public FencingToken token() {
                return new FencingToken(1, 1);
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public long nextSeq(String subscriptionId) {
                return 1;
            }

            @Override
            public void settled(List<Owed> done) {}

            @Override
            public void fenced(String gatewayId, String reason, Consumer<Boolean> stillOurs) {}
        };
    }

    private static Owed owed(String subscription, long number, Sender sender) {
        return owed(subscription, number, sender, false);
    }

    private static Owed representative(String subscription, long number) {
        return owed(subscription, number, SENDER, true);
    }

    private static Owed owed(String subscription, long number, Sender sender, boolean representative) {
        ChangeEvent event = new ChangeEvent(
                new EventId(ClusterTime.of(number, 0), number),
                "db",
                Operation.DELETE,
                "",
                "c",
                new DocumentId(DocumentId.Kind.STRING, "d"),
                null,
                null,
                0,
                OptionalLong.empty(),
                false);
        return new Owed(
                sender,
                null,
                subscription,
                Priority.NORMAL,
                EventType.DELETE,
                new OutgoingEvent(event),
                false,
                representative,
                null,
                number);
    }

    private static List<Owed> take(ClassQueue queue, int most) {
        List<Owed> taken = new ArrayList<>();
        queue.take(taken, most, Long.MAX_VALUE);
        return taken;
    }

    private static BitSet slots(List<Owed> owed) {
        BitSet slots = new BitSet();
        owed.forEach(each -> ClassQueue.occupy(slots, each));
        return slots;
    }

    /** Row 31: at most one unacknowledged batch per slot. */
    @Test
    void row31_whatFollowsSomethingUnderWayWaitsAndThenGoesFirst() {
        ClassQueue queue = new ClassQueue();
        Owed a1 = owed("a", 1, SENDER);
        Owed a2 = owed("a", 2, SENDER);
        Owed b1 = owed("b", 3, SENDER);
        Owed a3 = owed("a", 4, SENDER);
        List.of(a1, a2, b1, a3).forEach(queue::add);
        List<Owed> first = take(queue, 1);
        assertThat(first).containsExactly(a1);
        assertThat(take(queue, 5)).as("a waits for its first").containsExactly(b1);
        assertThat(take(queue, 5)).isEmpty();
        assertThat(queue.ready()).isZero();
        queue.release(slots(first));
        assertThat(queue.ready()).isEqualTo(2);
        assertThat(take(queue, 5)).containsExactly(a2, a3);
        assertThat(queue.held()).isEqualTo(4);
    }

    @Test
    void ofALongLineOnlySoManyGoOutAndTheRestKeepsItsPlace() {
        ClassQueue queue = new ClassQueue();
        List<Owed> line = new ArrayList<>();
        for (int k = 1; k <= 6; k++) {
            line.add(owed("a", k, SENDER));
        }
        line.forEach(queue::add);
        List<Owed> first = take(queue, 1);
        assertThat(take(queue, 5)).isEmpty();
        queue.release(slots(first));
        List<Owed> second = take(queue, 2);
        assertThat(second).isEqualTo(line.subList(1, 3));
        queue.release(slots(second));
        assertThat(take(queue, 10)).isEqualTo(line.subList(3, 6));
    }

    /** Row 39: it stands for subscriptions of other slots. */
    @Test
    void row39_aRepresentativeWaitsForAllThatIsUnderWayAndWhatFollowsItSharesItsBatchOrWaits() {
        ClassQueue queue = new ClassQueue();
        Owed a1 = owed("a", 1, SENDER);
        Owed rep = representative("b", 2);
        Owed c1 = owed("c", 3, SENDER);
        Owed next = representative("d", 4);
        Owed a2 = owed("a", 5, SENDER);
        List.of(a1, rep, c1, next, a2).forEach(queue::add);
        List<Owed> first = take(queue, 1);
        assertThat(first).containsExactly(a1);
        assertThat(take(queue, 5)).as("a may be among those it stands for").isEmpty();
        queue.release(slots(first));
        List<Owed> second = take(queue, 3);
        assertThat(second).as("a batch keeps its order").containsExactly(rep, c1, next);
        assertThat(take(queue, 5)).as("a may be among those they stand for").isEmpty();
        queue.release(slots(second));
        assertThat(take(queue, 5)).containsExactly(a2);
        assertThat(queue.ready()).isZero();
    }

    @Test
    void row39_aRepresentativeGoesBehindThoseThatWaitedForTheirTurn() {
        ClassQueue queue = new ClassQueue();
        Owed a1 = owed("a", 1, SENDER);
        Owed a2 = owed("a", 2, SENDER);
        Owed a3 = owed("a", 3, SENDER);
        Owed rep = representative("b", 4);
        List.of(a1, a2, a3, rep).forEach(queue::add);
        List<Owed> first = take(queue, 1);
        assertThat(take(queue, 5)).isEmpty();
        queue.release(slots(first));
        List<Owed> second = take(queue, 1);
        assertThat(second).containsExactly(a2);
        assertThat(take(queue, 5)).isEmpty();
        queue.release(slots(second));
        assertThat(take(queue, 5)).containsExactly(a3, rep);
    }

    @Test
    void whatIsRemovedLeavesNoTrace() {
        ClassQueue queue = new ClassQueue();
        Owed a1 = owed("a", 1, SENDER);
        Owed a2 = owed("a", 2, SENDER);
        Owed b1 = owed("b", 3, SENDER);
        List.of(a1, a2, b1).forEach(queue::add);
        List<Owed> first = take(queue, 1);
        assertThat(take(queue, 5)).containsExactly(b1);
        assertThat(queue.remove(each -> each == a2)).containsExactly(a2);
        queue.release(slots(first));
        assertThat(queue.ready()).isZero();
        assertThat(queue.held()).isEqualTo(2);
        assertThat(take(queue, 5)).isEmpty();
    }

    /** Row 23: a refused batch is halved until the event is alone; what is good goes out on the way. */
    @Test
    void row23_aRefusedBatchIsHalvedUntilTheEventIsAlone() {
        List<Owed> batch = new ArrayList<>();
        for (int k = 0; k < 8; k++) {
            batch.add(owed("s" + k, k, SENDER));
        }
        Owed bad = batch.get(5);
        Shipment shipment = new Shipment(batch);
        List<Owed> delivered = new ArrayList<>();
        int attempts = 0;
        while (!shipment.isEmpty()) {
            List<Owed> part = shipment.part();
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
        Owed a1 = owed("a", 1, SENDER);
        Owed a2 = owed("a", 2, SENDER);
        Owed b1 = owed("b", 3, SENDER);
        List<Owed> batch = List.of(a1, b1, a2);
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
        Owed a = owed("a", 1, sender(1));
        Owed b = owed("b", 2, sender(0));
        Owed c = owed("c", 3, sender(1));
        Shipment shipment = new Shipment(List.of(a, b, c));
        assertThat(shipment.isOfOnePartition(shipment.part())).isFalse();
        shipment.splitByPartition();
        assertThat(shipment.part()).containsExactly(b);
        shipment.done(1);
        assertThat(shipment.part()).containsExactly(a, c);
    }

    @Test
    void slotsAreFreeWhenNothingOfWhatIsLeftNeedsThem() {
        Owed a1 = owed("a", 1, SENDER);
        Owed b1 = owed("b", 2, SENDER);
        Owed a2 = owed("a", 3, SENDER);
        Shipment shipment = new Shipment(List.of(a1, b1, a2));
        shipment.done(2);
        assertThat(shipment.freeSlots().get(Priority.NORMAL)).isEqualTo(slots(List.of(b1)));
        shipment.done(1);
        assertThat(shipment.freeSlots().get(Priority.NORMAL)).isEqualTo(slots(List.of(a2)));
    }
}

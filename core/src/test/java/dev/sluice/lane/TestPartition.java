package dev.sluice.lane;

import dev.sluice.deliver.EventType;
import dev.sluice.deliver.OutgoingEvent;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Operation;
import dev.sluice.model.Priority;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** A partition that matches are sent for, without streams and groups. It counts how often it is woken. */
final class TestPartition implements Sender {
    /** Of a group that is not stuck. */
    private static final GroupEvent IN_ITS_TURN = new GroupEvent() {
        @Override
        public boolean isStuck() {
            return false;
        }

        @Override
        public boolean isBroadcast() {
            return false;
        }
    };

    private final int number;
    private final Flows flows = new Flows();
    private int given;
    private boolean open = true;
    int wakes;

    TestPartition(int number) {
        this.number = number;
    }

    void close() {
        open = false;
    }

    /** The delete of one document, to one subscription. */
    static PendingDelivery owed(Sender sender, Flow flow, Priority priority, long number, boolean representative) {
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
        PendingDelivery.Content content =
                new PendingDelivery.Content(EventType.DELETE, new OutgoingEvent(event), false, representative);
        return new PendingDelivery(
                sender, IN_ITS_TURN, representative ? flow.apart() : flow, priority, content, null, number);
    }

    /** Hands matches to a lane, each of another subscription. */
    void give(Lane lane, Priority priority, int matches) {
        for (int k = 0; k < matches; k++) {
            given++;
            lane.add(List.of(owed(this, flow("s" + given, lane), priority, given, false)));
        }
    }

    @Override
    public int partition() {
        return number;
    }

    @Override
    public FencingToken token() {
        return new FencingToken(1, 1);
    }

    @Override
    public Flow flow(String subscriptionId, Lane lane) {
        return flows.of(subscriptionId, lane);
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public void wake() {
        wakes++;
    }

    @Override
    public void settled(List<PendingDelivery> done) {}

    @Override
    public boolean isCurrent(PendingDelivery delivery) {
        return true;
    }

    @Override
    public void stuck(PendingDelivery delivery) {}

    @Override
    public void fenced(String gatewayId, String reason, Consumer<Boolean> stillOurs) {}
}

package dev.sluice.lane;

import dev.sluice.model.FencingToken;
import java.util.List;
import java.util.function.Consumer;

/** The partition a match is sent for. A lane calls it while holding no lock, and no call waits. */
public interface Sender {
    int partition();

    FencingToken token();

    /** The flow of a subscription of this partition through this lane: it numbers the deliveries. */
    Flow flow(String subscriptionId, Lane lane);

    /** Whether it is still ours. */
    boolean isOpen();

    /** A lane that had no room for this partition has room now. */
    void wake();

    /** These are done: acknowledged, kept as dead letters, or withdrawn and landed. */
    void settled(List<PendingDelivery> done);

    /** Whether the subscription is still the one that was matched: a change that is stored and not applied yet counts. */
    boolean isCurrent(PendingDelivery delivery);

    /** The gateway keeps answering that it wants this one later, while it acknowledges most others. */
    void stuck(PendingDelivery delivery);

    /** A gateway knows a newer owner. Says whether the store still proves us right; otherwise the partition stops. */
    void fenced(String gatewayId, String reason, Consumer<Boolean> stillOurs);
}

package dev.sluice.lane;

import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds a lane back whose receiver cannot refuse old tokens, while the lease of this node may end before an attempt does: the next
 * owner of its partitions might already be sending. One lease is behind all partitions of a node. Guarded by its lane.
 */
final class LeaseHold {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseHold.class);
    static final Duration LOOK_AGAIN = Duration.ofMillis(100);

    private final Lane lane;
    private final Supplier<Duration> untilDeadline;
    private boolean holding;

    /** @param untilDeadline how long no other node can own a partition of this one, without another renewal of the lease */
    LeaseHold(Lane lane, Supplier<Duration> untilDeadline) {
        this.lane = lane;
        this.untilDeadline = untilDeadline;
    }

    /** @param unfenced how long an attempt may change something at the receiver; zero: it refuses old tokens */
    boolean holdsBack(Duration unfenced) {
        boolean before = holding;
        holding = !unfenced.isZero() && untilDeadline.get().compareTo(unfenced) <= 0;
        if (holding && !before) {
            lane.failed("held back until the lease of this node is renewed: this receiver cannot refuse an old owner");
            LOG.atWarn()
                    .addKeyValue("gateway", lane.gatewayId())
                    .addKeyValue("timeoutMs", unfenced.toMillis())
                    .log(
                            "lease of this node may end before a delivery does, and this receiver cannot refuse an old owner: its events"
                                    + " are held back until the lease is renewed; if this comes often, set a longer cluster.lease_ttl"
                                    + " or a shorter routing.delivery.timeout");
        }
        return holding;
    }
}

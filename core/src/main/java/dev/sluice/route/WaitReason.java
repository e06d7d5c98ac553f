package dev.sluice.route;

import dev.sluice.lane.GroupKey;
import dev.sluice.lane.LaneView;
import dev.sluice.model.Position;
import dev.sluice.subscribe.Home;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Says in words why a subscription, of which something is not acknowledged, waits. */
final class WaitReason {
    private final GroupKey key;
    private final @Nullable String gateway;

    /** @param gateway that serves the group; null: none does */
    WaitReason(GroupKey key, @Nullable String gateway) {
        this.key = key;
        this.gateway = gateway;
    }

    /**
     * @param group null: a main group at the tail with everything acknowledged
     * @param lane null: no gateway serves the group
     */
    String of(@Nullable Group group, @Nullable LaneView lane, Position tail) {
        if (lane == null) {
            return noGateway();
        }
        if (!lane.up()) {
            return "gateway " + gateway + " is not connected";
        }
        if (lane.broken()) {
            return breaker(lane);
        }
        LaneView.Batch batch = lane.batch();
        if (group != null && group.stuck) {
            return "stuck: the gateway wants its events later; " + (batch == null ? "read again" : again(batch));
        }
        if (batch != null && batch.laterFor().isPositive()) {
            return "the gateway wants it later (since " + seconds(batch.laterFor()) + "); " + again(batch);
        }
        if (batch != null && batch.failures() > 0) {
            return "the last attempt failed: " + lane.lastError() + "; " + again(batch);
        }
        if (lane.burying()) {
            return "an event that the gateway refused is being stored as a dead letter";
        }
        if (group != null && group.isAwaiting()) {
            return "deliveries that were withdrawn are still in flight";
        }
        if (group != null && group.telling != null) {
            return "events are missing from the log: RESYNC is being sent";
        }
        return group != null && group.read(tail).isBefore(tail) ? behind(lane) : acknowledgement(group, batch);
    }

    private String noGateway() {
        return switch (key.home()) {
            case Home.Gateway named -> "gateway " + named.id() + " is not registered";
            case Home.Share share -> "no gateway serves it: none is registered (ring share " + share.number() + ")";
            case Home.Broadcast all ->
                key.gateway().isEmpty()
                        ? "no gateway is registered"
                        : "gateway " + key.gateway() + " is not registered";
        };
    }

    private String breaker(LaneView lane) {
        String probe =
                lane.untilProbe().isPositive() ? "next probe in " + seconds(lane.untilProbe()) : "a probe is under way";
        return "the breaker of gateway " + gateway + " is open, " + probe;
    }

    private static String again(LaneView.Batch batch) {
        return batch.flying() ? "a retry is in flight" : "retried in " + seconds(batch.again());
    }

    private String behind(LaneView lane) {
        return lane.full() == null
                ? "catching up: its events are being read"
                : "no room in the lane of gateway " + gateway + ": " + lane.full();
    }

    private String acknowledgement(@Nullable Group group, LaneView.@Nullable Batch batch) {
        if (batch != null) {
            return batch.flying()
                    ? "gateway " + gateway + " has not answered its batch yet"
                    : "its batch is sent again, or looked at, in " + seconds(batch.again());
        }
        return group == null || !group.hasUnsettled()
                ? "RESYNC is being sent"
                : "matches of its group are not acknowledged yet: " + group.unsettled();
    }

    private static String seconds(Duration time) {
        return time.toSeconds() == 0 ? "less than 1 s" : time.toSeconds() + " s";
    }
}

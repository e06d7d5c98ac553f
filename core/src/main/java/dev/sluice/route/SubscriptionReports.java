package dev.sluice.route;

import dev.sluice.lane.GroupKey;
import dev.sluice.lane.Lane;
import dev.sluice.lane.LaneView;
import dev.sluice.subscribe.Home;
import dev.sluice.subscribe.SubscriptionRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Joins the reports of partitions on one subscription. */
final class SubscriptionReports {
    /** For all partitions together: a partition that is busy for longer is reported as such. */
    private static final Duration WAIT_AT_MOST = Duration.ofSeconds(2);

    private SubscriptionReports() {}

    static Optional<SubscriptionStatus> of(String id, Collection<OwnedPartition> partitions, StreamerContext context) {
        SubscriptionRecord subscription = context.registry().find(id);
        if (subscription == null) {
            return Optional.empty();
        }
        long deadline = context.turns().nanos() + WAIT_AT_MOST.toNanos();
        List<SubscriptionStatus.Standing> standings = new ArrayList<>();
        for (OwnedPartition each : partitions) {
            standings.addAll(
                    report(each, id, Duration.ofNanos(deadline - context.turns().nanos())));
        }
        standings.sort(Comparator.comparingInt(SubscriptionStatus.Standing::partition));
        return Optional.of(new SubscriptionStatus(
                subscription.revision(), subscription.home().words(), receivers(subscription, context), standings));
    }

    private static List<SubscriptionStatus.Standing> report(OwnedPartition partition, String id, Duration atMost) {
        List<SubscriptionStatus.Standing> report = null;
        try {
            report = partition.report(id, atMost);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return report != null
                ? report
                : List.of(SubscriptionReport.unknown(
                        partition.partition(), "the partition is busy and did not answer; ask again"));
    }

    private static List<SubscriptionStatus.Receiver> receivers(
            SubscriptionRecord subscription, StreamerContext context) {
        List<SubscriptionStatus.Receiver> receivers = new ArrayList<>();
        for (GroupKey key : context.router().hearers().groupsOf(subscription)) {
            Lane lane = context.lanes().serving(key);
            String named = key.home() instanceof Home.Gateway gateway ? gateway.id() : key.gateway();
            if (lane != null) {
                LaneView view = lane.view(null, null, key.priority());
                receivers.add(new SubscriptionStatus.Receiver(
                        lane.gatewayId(), view.up() ? "up" : "away", view.broken(), view.lastError()));
            } else if (!named.isEmpty()) {
                receivers.add(new SubscriptionStatus.Receiver(named, "unknown", false, ""));
            }
        }
        return receivers;
    }
}

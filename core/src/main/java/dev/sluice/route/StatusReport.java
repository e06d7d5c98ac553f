package dev.sluice.route;

import dev.sluice.lane.GroupKey;
import dev.sluice.lane.Lane;
import dev.sluice.lane.LaneStatus;
import dev.sluice.subscribe.Home;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Joins the reports of partitions and lanes into one status. */
final class StatusReport {
    private StatusReport() {}

    static StreamerStatus of(List<PartitionReport> reports, StreamerContext context) {
        Map<String, List<LaneStatus.Behind>> behind = new HashMap<>();
        for (PartitionReport report : reports) {
            report.behind().forEach((key, groups) -> {
                String gateway = context.router().gatewayOf(key);
                behind.computeIfAbsent(gateway == null ? name(key) : gateway, none -> new ArrayList<>())
                        .addAll(groups);
            });
        }
        List<LaneStatus> lanes = new ArrayList<>();
        for (Lane lane : context.lanes().all()) {
            List<LaneStatus.Behind> groups = behind.remove(lane.gatewayId());
            lanes.add(lane.status(groups == null ? List.of() : groups));
        }
        behind.forEach((name, groups) -> lanes.add(new LaneStatus(
                name,
                "unknown",
                "closed",
                Map.of(),
                0,
                groups,
                LaneStatus.age(
                        groups.stream().flatMap(each -> each.oldest().stream()),
                        context.turns().now()),
                Optional.empty())));
        lanes.sort(Comparator.comparing(LaneStatus::gatewayId));
        List<StreamerStatus.OfPartition> partitions = reports.stream()
                .map(PartitionReport::status)
                .sorted(Comparator.comparingInt(StreamerStatus.OfPartition::id))
                .toList();
        return new StreamerStatus(partitions, lanes);
    }

    private static String name(GroupKey key) {
        return key.home() instanceof Home.Gateway gateway
                ? gateway.id()
                : key.home().words();
    }
}

package dev.sluice.worker.metrics;

import dev.sluice.worker.LaneStatus;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The lag of the ten partitions with the highest, one series each. The series of a partition that left the ten is removed
 * before another one is added, so that there are never more than ten.
 */
final class WorstPartitions {
    private static final int SERIES = 10;
    private static final Comparator<LaneStatus> WORST_FIRST =
            Comparator.comparingLong(LaneStatus::lag).reversed().thenComparing(LaneStatus::index);

    private final MeterRegistry registry;
    private final Tags tags;
    private final Map<String, Meter> shown = new HashMap<>();
    private volatile Map<String, Long> lags = Map.of();

    WorstPartitions(MeterRegistry registry, Tags tags) {
        this.registry = registry;
        this.tags = tags;
    }

    synchronized void show(List<LaneStatus> lanes) {
        lags = lanes.stream()
                .filter(lane -> lane.lag() > 0)
                .sorted(WORST_FIRST)
                .limit(SERIES)
                .collect(Collectors.toUnmodifiableMap(LaneStatus::partition, LaneStatus::lag));
        var left = new HashMap<>(shown);
        left.keySet().removeAll(lags.keySet());
        left.values().forEach(registry::remove);
        shown.keySet().retainAll(lags.keySet());
        lags.keySet().forEach(partition -> shown.computeIfAbsent(partition, this::gauge));
    }

    private Meter gauge(String partition) {
        return Gauge.builder(WorkerMetrics.PREFIX + "partition.lag", () -> lags.getOrDefault(partition, 0L))
                .description("Unfinished messages of the ten partitions with the most")
                .tags(tags.and("partition", partition))
                .register(registry);
    }
}

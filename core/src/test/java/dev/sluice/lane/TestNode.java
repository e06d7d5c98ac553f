package dev.sluice.lane;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** A node that owns so many partitions, with a lease that never ends. */
final class TestNode implements Lanes.Node {
    int partitions;

    TestNode(int partitions) {
        this.partitions = partitions;
    }

    @Override
    public int partitions() {
        return partitions;
    }

    @Override
    public Duration untilDeadline() {
        return ChronoUnit.FOREVER.getDuration();
    }

    @Override
    public Lanes.Told told(String gatewayId) {
        return new Lanes.Told("", List.of());
    }
}

package dev.sluice.route;

import dev.sluice.route.StreamerStatus.Health;
import java.time.Duration;
import java.time.Instant;

/** A partition that is being worked on: its state, what reads its head, and how it does. */
final class Working {
    private final Partition partition;
    private final Surroundings around;
    private final Gauge gauge;
    private final int partitions;
    private final PartitionLoop reading;
    private final Turns.Loop loop;

    Working(Partition partition, Surroundings around) {
        this.partition = partition;
        this.around = around;
        this.gauge = new Gauge(around.turns().nanos());
        this.partitions = around.feed()
                .partitions(partition.partition(), around.settings().partitions());
        this.reading = new PartitionLoop(partition, around, gauge);
        this.loop = around.turns().loop("partition-" + partition.partition(), reading);
    }

    Partition partition() {
        return partition;
    }

    /** Of how many it is one. */
    int partitions() {
        return partitions;
    }

    /** Whether changes of subscriptions can be applied here, and are not forgotten by a crash. */
    boolean isReady() {
        return partition.isOpen() && reading.isPlaced();
    }

    /** Nothing new comes in from here on. */
    void stopTakingIn() {
        partition.stopTakingIn();
        loop.wake();
        partition.wakeCatchUps();
    }

    /** Whether nothing is on its way that a gateway could still acknowledge. */
    boolean isDrained() {
        return loop.isOver()
                && around.lanes().all().stream().noneMatch(lane -> lane.isReachable() && lane.holds(partition));
    }

    /** What was acknowledged is the last that is reported. */
    void finish() {
        partition.report().now();
        stop();
    }

    void stop() {
        partition.close();
        loop.stop();
        partition.wakeCatchUps();
        around.lanes().sweep();
    }

    StreamerStatus.OfPartition status() {
        Instant now = around.turns().now();
        Duration lag = gauge.lag(now);
        return new StreamerStatus.OfPartition(
                partition.partition(),
                health(lag),
                lag,
                gauge.rate(),
                gauge.lastEvent(),
                partition.remembered(),
                partition.unacknowledged(),
                why(lag));
    }

    private Health health(Duration lag) {
        if (!partition.isOpen() || !gauge.trouble().isEmpty()) {
            return Health.FAILED;
        }
        if (partition.isStale()) {
            return Health.STALE;
        }
        return lag.compareTo(around.settings().lagThreshold()) > 0 ? Health.LAGGING : Health.HEALTHY;
    }

    private String why(Duration lag) {
        return switch (health(lag)) {
            case HEALTHY -> "";
            case LAGGING -> "it is " + lag.toSeconds() + " s behind its sources";
            case STALE -> "changes are missing, and some subscription has not confirmed that it knows";
            case FAILED -> partition.isOpen() ? gauge.trouble() : "another member owns it";
        };
    }
}

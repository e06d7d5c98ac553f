package dev.sluice.outbox.metrics;

import dev.sluice.outbox.table.Backlog;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The backlog by partition. It is asked for once, not for every series, which may be two thousand. */
final class PendingRows {
    /** Rows without a partition, or with one that this relay does not count. */
    static final int NONE = -1;

    private static final long GOOD_FOR_NANOS = Duration.ofMillis(100).toNanos();

    private record Waiting(long rows, Instant oldest) {
        Waiting and(Waiting other) {
            return new Waiting(rows + other.rows, oldest.isBefore(other.oldest) ? oldest : other.oldest);
        }
    }

    private final Supplier<Optional<Backlog>> backlog;
    private final int partitions;
    private Map<Integer, Waiting> known = Map.of();
    private long until = System.nanoTime();

    PendingRows(Supplier<Optional<Backlog>> backlog, int partitions) {
        this.backlog = backlog;
        this.partitions = partitions;
    }

    long rows(int partition) {
        Waiting waiting = byPartition().get(partition);
        return waiting == null ? 0 : waiting.rows;
    }

    /** By our clock; the database's may differ a little. */
    Duration age(int partition) {
        Waiting waiting = byPartition().get(partition);
        if (waiting == null) {
            return Duration.ZERO;
        }
        Duration age = Duration.between(waiting.oldest, Instant.now());
        return age.isNegative() ? Duration.ZERO : age;
    }

    private synchronized Map<Integer, Waiting> byPartition() {
        if (System.nanoTime() - until >= 0) {
            Map<Integer, Waiting> all = new HashMap<>();
            backlog.get()
                    .ifPresent(it -> it.partitions()
                            .forEach(
                                    one -> all.merge(place(one), new Waiting(one.rows(), one.oldest()), Waiting::and)));
            known = all;
            until = System.nanoTime() + GOOD_FOR_NANOS;
        }
        return known;
    }

    private int place(Backlog.OfPartition one) {
        Integer partition = one.partition();
        return partition == null || partition >= partitions ? NONE : partition;
    }
}

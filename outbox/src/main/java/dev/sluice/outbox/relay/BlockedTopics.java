package dev.sluice.outbox.relay;

import dev.sluice.outbox.table.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * The topics of one partition that take nothing: one state each, however many keys they have. Nothing is fetched for them
 * until they are tried again, then one row goes ahead of the others. They are tried for ever: a topic that is missing, or
 * may not be written, is for a person to mend, and no row is to blame. The next owner of the partition finds out by itself.
 */
final class BlockedTopics {
    private record Block(BlockedTopic topic, long due) {}

    private final Map<String, Block> byName = new TreeMap<>();
    private final RelaySettings.RetryLimits limits;
    private final LongSupplier nanos;

    BlockedTopics(RelaySettings.RetryLimits limits, LongSupplier nanos) {
        this.limits = limits;
        this.nanos = nanos;
    }

    /** Those of which nothing is to be fetched now. */
    List<String> waiting() {
        long now = nanos.getAsLong();
        return byName.values().stream()
                .filter(block -> block.due - now > 0)
                .map(block -> block.topic.topic())
                .toList();
    }

    /** Of the topics on trial only the first row. */
    List<Row> onTrial(List<Row> rows) {
        if (byName.isEmpty()) {
            return rows;
        }
        List<Row> kept = new ArrayList<>(rows.size());
        Set<String> tried = new HashSet<>();
        for (Row row : rows) {
            if (!byName.containsKey(row.topic()) || tried.add(row.topic())) {
                kept.add(row);
            }
        }
        return kept;
    }

    /** @return whether it took rows until now */
    boolean block(String topic, String reason) {
        Block last = byName.get(topic);
        int attempts = last == null ? 1 : last.topic.attempts() + 1;
        byName.put(
                topic,
                new Block(
                        new BlockedTopic(topic, reason, attempts),
                        nanos.getAsLong() + limits.after(attempts).toNanos()));
        return last == null;
    }

    /** @return whether it was blocked */
    boolean free(String topic) {
        return byName.remove(topic) != null;
    }

    /** One that is due already is found by the next look at the table. */
    Optional<Duration> untilNext() {
        long now = nanos.getAsLong();
        return byName.values().stream()
                .map(block -> Duration.ofNanos(block.due - now))
                .filter(Duration::isPositive)
                .min(Duration::compareTo);
    }

    List<BlockedTopic> all() {
        return byName.values().stream().map(Block::topic).toList();
    }
}

package dev.sluice.outbox.spring;

import dev.sluice.outbox.relay.BlockedTopic;
import dev.sluice.outbox.relay.PartitionStatus;
import dev.sluice.outbox.relay.RelayStatus;
import dev.sluice.outbox.table.Backlog;
import dev.sluice.outbox.table.Dead;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the endpoint tells.
 *
 * @param relay absent when this application only writes
 * @param backlog by partition; the partition is absent for rows that have none yet
 * @param deadRows the first of them
 */
public record OutboxReport(
        String name,
        @Nullable Relay relay,
        long rows,
        long parkedKeys,
        long dead,
        List<Waiting> backlog,
        List<DeadRow> deadRows) {

    /**
     * @param notSending what keeps messages from the receiver; absent when nothing does
     * @param hotKeys each with what to do about it
     */
    public record Relay(
            String node,
            boolean healthy,
            @Nullable String notSending,
            String membership,
            List<String> nodes,
            boolean listening,
            List<Owned> partitions,
            List<BlockedTopic> blockedTopics,
            List<String> hotKeys) {}

    public record Owned(int partition, String breaker, long sent, int parkedKeys, String trouble) {}

    public record Waiting(@Nullable Integer partition, long rows, Instant oldest) {}

    /** Without its payload, which may be secret. */
    public record DeadRow(
            long id,
            String topic,
            String key,
            String type,
            String reason,
            int attempts,
            Instant deadAt,
            boolean laterRowsSent) {}

    static OutboxReport of(String name, @Nullable RelayStatus status, Backlog backlog, List<Dead> dead) {
        return new OutboxReport(
                name,
                status == null ? null : relay(status),
                backlog.rows(),
                backlog.parked(),
                backlog.dead(),
                backlog.partitions().stream()
                        .map(each -> new Waiting(each.partition(), each.rows(), each.oldest()))
                        .toList(),
                dead.stream().map(OutboxReport::dead).toList());
    }

    private static Relay relay(RelayStatus status) {
        return new Relay(
                status.node(),
                status.isHealthy(),
                status.notSending().orElse(null),
                status.members().sentence(),
                status.members().members(),
                status.listening(),
                status.partitions().stream().map(OutboxReport::owned).toList(),
                status.blockedTopics(),
                status.hotKeys().stream().map(RelayStatus.HotKey::advice).toList());
    }

    private static Owned owned(PartitionStatus each) {
        return new Owned(each.partition(), each.breaker().name(), each.sent(), each.parkedKeys(), each.trouble());
    }

    private static DeadRow dead(Dead each) {
        return new DeadRow(
                each.id(),
                each.topic(),
                each.key(),
                each.type(),
                each.reason(),
                each.attempts(),
                each.deadAt(),
                each.laterRowsSent());
    }
}

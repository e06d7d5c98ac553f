package dev.sluice.outbox.relay;

import dev.sluice.coordinate.GroupStatus;
import dev.sluice.outbox.table.Backlog;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One relay's view of its outbox, for health checks, meters and people.
 *
 * @param members what the group says: who is alive, what this relay owns, whether the store answers
 * @param partitions those this relay owns
 * @param backlog what waits in the tables, a few seconds old; absent before the database has answered once
 * @param hotKeys keys that make much of a partition's rows, hottest first
 * @param listening whether the database wakes this relay when there are new rows
 */
public record RelayStatus(
        String name,
        String node,
        GroupStatus members,
        Contention contention,
        List<PartitionStatus> partitions,
        Optional<Backlog> backlog,
        List<HotKey> hotKeys,
        boolean listening) {

    /**
     * How partitions came and went, since this relay started.
     *
     * @param failedClaims attempts at a partition that another relay was faster at
     * @param rebalances assignments written by this relay as leader
     * @param losses partitions lost without a handoff
     */
    public record Contention(long failedClaims, long claims, long rebalances, long losses) {}

    /** A key with more than a twentieth of its partition's rows. @param share of the rows sent lately, 0 to 1 */
    public record HotKey(int partition, String key, double share) {
        /** What to do about it. */
        public String advice() {
            return String.format(
                    Locale.ROOT,
                    "key %s makes %.0f %% of the rows of partition %d: rows of one key stay in order and so in one partition,"
                            + " more partitions or relays do not help it; give parts of it keys of their own where their"
                            + " order does not matter",
                    key,
                    share * 100,
                    partition);
        }
    }

    static List<HotKey> hotKeys(List<PartitionJournal> journals) {
        List<HotKey> all = new ArrayList<>();
        for (PartitionJournal journal : journals) {
            int partition = journal.status().partition();
            journal.hottest().forEach(hot -> all.add(new HotKey(partition, hot.key(), hot.share())));
        }
        all.sort(Comparator.comparingDouble(HotKey::share).reversed());
        return all;
    }

    /** Whether any partition's receiver takes nothing. */
    public boolean isBreakerOpen() {
        return partitions.stream().anyMatch(each -> each.breaker() != PartitionStatus.Breaker.CLOSED);
    }

    public boolean isHealthy() {
        return members.isHealthy() && !isBreakerOpen();
    }
}

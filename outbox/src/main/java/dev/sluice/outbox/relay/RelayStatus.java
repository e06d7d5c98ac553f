package dev.sluice.outbox.relay;

import dev.sluice.coordinate.GroupStatus;
import dev.sluice.outbox.table.Backlog;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * One relay's view of its outbox, for health checks, meters and people.
 *
 * @param members what the group says: who is alive, what this relay owns, whether the store answers
 * @param partitions those this relay owns
 * @param backlog what waits in the tables, a few seconds old; absent before the database has answered once
 * @param hotKeys keys that make much of a partition's rows, hottest first
 * @param receiverTrouble why the receiver does not answer, asked every few seconds; empty when it does
 * @param databaseTrouble the same of the database
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
        String receiverTrouble,
        String databaseTrouble,
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

    /** The topics that take nothing, of all partitions of this relay. */
    public List<BlockedTopic> blockedTopics() {
        Map<String, BlockedTopic> all = new TreeMap<>();
        partitions.forEach(one -> one.blockedTopics().forEach(topic -> all.putIfAbsent(topic.topic(), topic)));
        return List.copyOf(all.values());
    }

    /** What keeps rows from the receiver, for people; empty when nothing does. */
    public Optional<String> notSending() {
        Set<String> reasons = new LinkedHashSet<>();
        for (PartitionStatus one : partitions) {
            if (one.breaker() != PartitionStatus.Breaker.CLOSED) {
                reasons.add(
                        one.trouble().isEmpty()
                                ? "nothing was acknowledged for "
                                        + one.waiting().toSeconds() + " s"
                                : one.trouble());
            }
        }
        if (reasons.isEmpty() && !receiverTrouble.isEmpty()) {
            reasons.add(receiverTrouble);
        }
        blockedTopics()
                .forEach(blocked -> reasons.add("topic " + blocked.topic()
                        + " takes nothing, its rows wait and others go on: " + blocked.reason()));
        return reasons.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", reasons));
    }

    /** Registry, database and receiver are there, and every topic takes its rows. */
    public boolean isHealthy() {
        return members.isHealthy() && databaseTrouble.isEmpty() && notSending().isEmpty();
    }
}

package dev.sluice.outbox.relay;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.Group;
import dev.sluice.coordinate.GroupSettings;
import dev.sluice.coordinate.GroupStatus;
import dev.sluice.coordinate.MemberIds;
import dev.sluice.jdbc.JdbcCoordinationStore;
import dev.sluice.outbox.table.OutboxTable;
import dev.sluice.outbox.table.Slice;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

/**
 * This process as one of the relays of an outbox: a member of the group {@code outbox/{name}}, whose partitions it relays.
 * Started, it joins; closed, it finishes what is under way, hands over and leaves.
 */
public final class RelayNode implements AutoCloseable {
    private static final Duration LONGEST_STORE_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration SHORTEST_STORE_TIMEOUT = Duration.ofMillis(100);
    /** Between two looks when the database tells nobody of new rows. */
    private static final Duration LONGEST_PAUSE_UNTOLD = Duration.ofSeconds(1);

    private final RelayPlan plan;
    private final OutboxTable table;
    private final RelayCounters counters = new RelayCounters();
    private final CompletableFuture<Group> group = new CompletableFuture<>();
    private final JdbcCoordinationStore store;
    private final OwnedPartitions partitions;
    private final BooleanSupplier isTold;
    private final Housekeeping housekeeping;

    /**
     * What to relay, and how.
     *
     * @param node unique among the relays of this outbox
     * @param partitions how many the writers count; a new group has as many claims
     */
    public record RelayPlan(
            String name,
            String node,
            int partitions,
            DataSource source,
            DataSource coordination,
            Sink sink,
            RelaySettings settings) {}

    private RelayNode(RelayPlan plan, BooleanSupplier isTold) {
        this.plan = plan;
        this.isTold = isTold;
        this.table = new OutboxTable(plan.source, plan.settings.keeping());
        this.partitions = new OwnedPartitions(
                plan.name, plan.settings.handoffTimeout().multipliedBy(4).dividedBy(5), this::relay);
        this.store = new JdbcCoordinationStore(
                plan.coordination, storeTimeout(plan.settings), JdbcCoordinationStore.DEFAULT_WATCH_INTERVAL);
        this.housekeeping = new Housekeeping(plan.name, table, plan.settings, () -> slice(0), () -> partitions.owns(0));
    }

    /** @param isTold whether something wakes the relay when there are new rows: then it looks less often by itself */
    public static RelayNode start(RelayPlan plan, BooleanSupplier isTold) {
        RelayNode node = new RelayNode(plan, isTold);
        node.group.complete(Group.start(node.store, node.membership(), node.partitions));
        node.housekeeping.start();
        return node;
    }

    private GroupSettings membership() {
        RelaySettings settings = plan.settings;
        return GroupSettings.of("outbox/" + plan.name, MemberIds.fixed(plan.node), plan.partitions)
                .withLease(settings.nodeTimeout())
                .withHandoffTimeout(settings.handoffTimeout())
                .withAssigner(settings.assigner())
                .withWeight(settings.weight())
                .withStabiliser(settings.stabiliser())
                .withLower(ClaimOwnership::lower);
    }

    private static Duration storeTimeout(RelaySettings settings) {
        Duration eighth = settings.nodeTimeout().dividedBy(8);
        Duration bounded = Polling.shorter(eighth, LONGEST_STORE_TIMEOUT);
        return bounded.compareTo(SHORTEST_STORE_TIMEOUT) < 0 ? SHORTEST_STORE_TIMEOUT : bounded;
    }

    /** A claim of another generation than the layout we know is given back, and taken again when we know it. */
    private PartitionRelay relay(Claim claim) {
        GroupStatus status = group.join().status();
        if (status.generation() != claim.token().generation()) {
            throw new IllegalStateException("the number of partitions is being changed: " + claim + " is taken later");
        }
        return new PartitionRelay(
                table,
                plan.sink,
                plan.name,
                new ClaimOwnership(claim, slice(claim.partition(), status.partitions())),
                plan.settings,
                counters,
                RelayTime.REAL,
                this::longestPause);
    }

    private Slice slice(int claim) {
        return slice(claim, Math.max(1, group.join().status().partitions()));
    }

    private Slice slice(int claim, int claims) {
        return new Slice(claim, claims, Math.max(plan.partitions, claims));
    }

    private Duration longestPause() {
        Duration longest = plan.settings.longestPause();
        return isTold.getAsBoolean() ? longest : Polling.shorter(longest, LONGEST_PAUSE_UNTOLD);
    }

    /** There may be new rows. */
    public void wake() {
        counters.wakeUps.increment();
        partitions.wake();
    }

    public RelayCounters counters() {
        return counters;
    }

    public RelayStatus status() {
        Group joined = group.join();
        List<PartitionJournal> journals = partitions.journals();
        return new RelayStatus(
                plan.name,
                plan.node,
                joined.status(),
                new RelayStatus.Contention(
                        joined.counters().failedClaims(),
                        joined.counters().claims(),
                        joined.counters().rebalances(),
                        joined.counters().losses()),
                journals.stream()
                        .map(PartitionJournal::status)
                        .sorted(Comparator.comparingInt(PartitionStatus::partition))
                        .toList(),
                housekeeping.backlog(),
                RelayStatus.hotKeys(journals),
                isTold.getAsBoolean());
    }

    @Override
    public void close() {
        housekeeping.close();
        group.join().close();
        partitions.abandonAll();
        store.close();
        plan.sink.close();
    }
}

package dev.sluice.outbox.relay;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.Group;
import dev.sluice.coordinate.GroupCounters;
import dev.sluice.coordinate.GroupSettings;
import dev.sluice.coordinate.GroupStatus;
import dev.sluice.coordinate.MemberIds;
import dev.sluice.coordinate.audit.AuditEvent;
import dev.sluice.coordinate.identity.MemberSecret;
import dev.sluice.jdbc.JdbcCoordinationStore;
import dev.sluice.model.InvalidInputException;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.outbox.table.OutboxTable;
import dev.sluice.outbox.table.Slice;
import dev.sluice.run.Loop;
import dev.sluice.run.Loops;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

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
    private final LayoutRule rule;
    private final Sink sink;
    private final OutboxTable table;
    private final RelayCounters counters = new RelayCounters();
    private final CompletableFuture<Group> group = new CompletableFuture<>();
    private final JdbcCoordinationStore store;
    private final OwnedPartitions partitions;
    private final BooleanSupplier isTold;
    private final FirstShare firstShare;
    private final Housekeeping housekeeping;
    private final Pulse receiver;
    private final Pulse database;
    private @Nullable Loop starting;

    /**
     * What to relay, and how.
     *
     * @param node unique among the relays of this outbox
     * @param partitions how many the writers count; a new group has as many claims. Under a number of claims that this is no
     *     multiple of nothing is sent
     * @param oldLock the ShedLock lock of nodes of the old kind, held too by who sends; empty when there are none. With it a
     *     new group has one claim, and under more nothing is sent
     * @param secrets sign and check the relays' member records: the first signs, any of them is accepted; none: not checked
     * @param loops of this process, whose failures its health report reads
     */
    public record RelayPlan(
            String name,
            String node,
            int partitions,
            DataSource source,
            DataSource coordination,
            Sink sink,
            RelaySettings settings,
            String oldLock,
            List<MemberSecret> secrets,
            Loops loops) {}

    private RelayNode(RelayPlan plan, BooleanSupplier isTold) {
        this.plan = plan;
        this.isTold = isTold;
        this.rule = new LayoutRule(plan.partitions, plan.oldLock);
        this.table = new OutboxTable(plan.source, plan.settings.keeping());
        this.partitions = new OwnedPartitions(
                plan.name, plan.settings.handoffTimeout().multipliedBy(4).dividedBy(5), this::relay);
        this.store = new JdbcCoordinationStore(
                plan.coordination,
                storeTimeout(plan.settings),
                JdbcCoordinationStore.DEFAULT_WATCH_INTERVAL,
                plan.loops);
        this.sink = new FittingSink(plan.oldLock.isEmpty() ? plan.sink : locked(plan, store), rule);
        this.firstShare = new FirstShare(plan.name, plan.settings.nodeTimeout(), System::nanoTime);
        this.housekeeping = new Housekeeping(
                plan.name,
                table,
                plan.settings,
                counters,
                this::firstSlice,
                () -> partitions.claim(0).map(Claim::token),
                partitions::counted);
        this.receiver = new Pulse(plan.name, "the receiver", plan.sink::probe, System::nanoTime);
        this.database = new Pulse(plan.name, "the database", table::now, System::nanoTime);
    }

    private static Sink locked(RelayPlan plan, JdbcCoordinationStore store) {
        return new GlobalLock(plan.sink, store, plan.oldLock, plan.node, plan.settings.nodeTimeout());
    }

    /** @param isTold whether something wakes the relay when there are new rows: then it looks less often by itself */
    public static RelayNode start(RelayPlan plan, BooleanSupplier isTold) {
        RelayNode node = new RelayNode(plan, isTold);
        node.group.complete(Group.start(node.store, node.membership(), node.partitions));
        node.housekeeping.start();
        node.starting = plan.loops.loop("outbox-" + plan.name + "-start").start(node::awaitShare);
        node.receiver.start("outbox-" + plan.name + "-receiver");
        node.database.start("outbox-" + plan.name + "-database");
        return node;
    }

    private @Nullable Duration awaitShare() {
        return firstShare.look(group.join().status());
    }

    private GroupSettings membership() {
        RelaySettings settings = plan.settings;
        return GroupSettings.of("outbox/" + plan.name, MemberIds.fixed(plan.node), rule.firstClaims())
                .withLease(settings.nodeTimeout())
                .withBeat(settings.heartbeat())
                .withHandoffTimeout(settings.handoffTimeout())
                .withAssigner(settings.assigner())
                .withWeight(settings.weight())
                .withStabiliser(settings.stabiliser())
                .withSecrets(plan.secrets)
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
        int claims = status.partitions();
        return new PartitionRelay(
                table,
                sink,
                plan.name,
                new ClaimOwnership(claim, slice(claim.partition(), claims)),
                plan.settings,
                counters,
                RelayTime.REAL,
                this::longestPause);
    }

    /** All of them, of which nobody asks for partition ids, while the layout does not fit. */
    private Slice firstSlice() {
        int claims = Math.max(1, group.join().status().partitions());
        return rule.objection(claims).isPresent() ? Slice.all() : slice(0, claims);
    }

    /** Under more claims than it counts partitions a relay sends nothing, see {@link LayoutRule}. */
    private Slice slice(int claim, int claims) {
        return new Slice(claim, claims, Math.max(plan.partitions, claims));
    }

    /**
     * Changes how many claims the work is cut into, for all relays; 1 is the global lock. First all relays finish what is under
     * way and give their claims up, then the new ones start: nothing is lost and keys stay in order. Returns when that is
     * decided, after the pending rows have got the partition ids they need.
     *
     * @param claims a multiple or a divisor of the number of now, or 1; this relay's number of partitions, which must be the
     *     writers', is a multiple of it
     * @throws InvalidInputException when it is not, or while writers count another number
     */
    public void changePartitions(int claims) {
        int now = group.join().status().partitions();
        if (now == 0) {
            throw new InvalidInputException(
                    "outbox " + plan.name + " has no partitions yet: wait for its first leader");
        }
        if (claims % now != 0 && now % claims != 0) {
            throw new InvalidInputException("from " + now + " partitions to " + claims
                    + " only by way of 1: change to 1, wait until that is done, restart all writers and relays with "
                    + claims + ", then change to " + claims);
        }
        rule.objection(claims).ifPresent(objection -> {
            throw new InvalidInputException(objection);
        });
        if (claims > now) {
            OutboxSchema.repartition(plan.source, plan.partitions);
        }
        group.join().changePartitions(claims);
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

    /** What happened in the group of relays. */
    public GroupCounters groupCounters() {
        return group.join().counters();
    }

    /** What happened lately in the group of relays, oldest first. */
    public List<AuditEvent> audit() {
        return group.join().audit();
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
                receiver.trouble(),
                database.trouble(),
                isTold.getAsBoolean());
    }

    @Override
    public void close() {
        if (starting != null) {
            starting.close();
        }
        receiver.close();
        database.close();
        housekeeping.close();
        group.join().close();
        partitions.abandonAll();
        sink.close();
        store.close();
    }
}

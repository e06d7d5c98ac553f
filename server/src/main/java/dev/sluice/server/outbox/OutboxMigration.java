package dev.sluice.server.outbox;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.GroupControl;
import dev.sluice.jdbc.JdbcCoordinationStore;
import dev.sluice.model.InvalidInputException;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.outbox.table.Slice;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import javax.sql.DataSource;

/**
 * Takes an outbox from one layout to another while it is in use: tables forward and back, and the number of claims. Each step
 * keeps the rows of one key with one owner at a time: a key's rows get other partition ids only where both ids belong to one
 * claim, by way of one claim for all where they would not. Interrupted, it is run again.
 */
public final class OutboxMigration implements AutoCloseable {
    private static final int NO_TABLES = 0;
    private static final int GLOBAL_LOCK = 1;
    private static final Duration LOOK_AGAIN = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    /** As many rows between two lines of progress. */
    private static final long ROWS_PER_LINE = 10_000;

    private final DataSource source;
    private final GroupControl group;
    private final JdbcCoordinationStore store;
    private final Consumer<String> tell;
    /** Stands for nodes of the old kind that may run: from the first step forward until somebody says that they are gone. */
    private final String oldNodes;

    /**
     * Where an outbox stands now.
     *
     * @param rows how many have got a partition id, or another one
     * @param next what is to be done by people, in this order
     */
    public record Done(int tables, int claims, long rows, List<String> next) {}

    /** @param tell gets one line per step and chunk of rows */
    public OutboxMigration(DataSource source, String name, Consumer<String> tell) {
        this.source = source;
        this.tell = tell;
        if (OutboxSchema.version(source) == NO_TABLES) {
            throw new InvalidInputException("there are no outbox tables in this database; make them with: sluice outbox"
                    + " init --jdbc-url ...");
        }
        JdbcCoordinationStore.createTables(source);
        this.store = new JdbcCoordinationStore(source);
        this.group = new GroupControl(store, groupOf(name));
        this.oldNodes = groupOf(name) + "/old-nodes";
    }

    /** The group that shares out the claims of an outbox of this name. */
    public static String groupOf(String name) {
        return "outbox/" + name;
    }

    /**
     * Towards so many partitions. From an outbox of the old kind it stops at one claim, however often it is run, until
     * its nodes are gone.
     *
     * @param oldNodesGone nobody sends or writes any more who knows no partitions
     */
    public Done toPartitions(int partitions, boolean oldNodesGone) throws InterruptedException {
        Slice.requirePartitions(partitions);
        boolean fromGlobalLock = OutboxSchema.version(source) == GLOBAL_LOCK
                || store.get(oldNodes).isPresent();
        long rows = fromGlobalLock ? forward(partitions) : 0;
        if (fromGlobalLock && !oldNodesGone) {
            return done(
                    rows,
                    List.of(
                            "let applications write with this version and outbox.total.partitions: " + partitions,
                            "start relays with outbox.global_lock: the name of the old nodes' ShedLock lock",
                            "stop the old nodes, also those that only write; then restart the relays without"
                                    + " outbox.global_lock",
                            "run this command again with --old-nodes-gone: it gives the relays " + partitions
                                    + " claims"));
        }
        Done resized = resize(partitions);
        forgetOldNodes();
        return new Done(resized.tables(), resized.claims(), rows + resized.rows(), resized.next());
    }

    private long forward(int partitions) throws InterruptedException {
        tell.accept("claims: one for all, as long as old nodes may run");
        store.put(oldNodes, new byte[0], CoordinationStore.ABSENT);
        change(1);
        tell.accept("tables: columns, tables and indexes; writers go on meanwhile");
        return OutboxSchema.migrate(source, partitions, progress());
    }

    private void forgetOldNodes() {
        store.get(oldNodes).ifPresent(mark -> store.delete(oldNodes, mark.revision()));
    }

    /**
     * Where the claims divide the new number the rows come first, then the claims; where the new number divides the claims, the
     * claims come first: a key's ids of both numbers belong to one claim then. Anything else goes by way of one claim, which
     * people must ask for, since writers may count the new number only between those two steps.
     */
    private Done resize(int partitions) throws InterruptedException {
        Optional<GroupControl.View> now = group.look();
        int claims = now.map(GroupControl.View::partitions).orElse(partitions);
        if (now.map(GroupControl.View::changing).orElse(false)) {
            change(claims);
        }
        if (partitions % claims == 0) {
            long rows = repartition(partitions);
            change(partitions);
            return done(rows, List.of());
        }
        if (claims % partitions == 0) {
            change(partitions);
            return done(
                    0,
                    List.of(
                            "restart applications and relays with outbox.total.partitions: " + partitions,
                            "run this command again: rows that still wait get the ids of " + partitions
                                    + " partitions"));
        }
        throw new InvalidInputException("neither of " + claims + " and " + partitions
                + " is a multiple of the other, so a key would have two senders: run migrate --global-lock, restart"
                + " applications and relays with outbox.total.partitions: " + partitions
                + ", then run this command again");
    }

    private long repartition(int partitions) {
        tell.accept("rows: partition ids of " + partitions + " partitions");
        return OutboxSchema.repartition(source, partitions, progress());
    }

    /** One claim: its owner sends everything, in the order of ids. */
    public Done toGlobalLock() throws InterruptedException {
        if (OutboxSchema.version(source) == GLOBAL_LOCK) {
            return done(0, List.of());
        }
        change(1);
        return done(
                0,
                List.of(
                        "before nodes of the old kind start again: restart the relays with outbox.global_lock, the name of"
                                + " the old nodes' ShedLock lock"));
    }

    /** Back to the tables of the old kind. Pending rows stay. */
    public Done back() throws InterruptedException {
        List<String> running = group.members();
        if (!running.isEmpty()) {
            throw new InvalidInputException("relays still run: " + String.join(", ", running)
                    + "; stop them, and whoever writes with partitions, first");
        }
        change(1);
        tell.accept("tables: back to the layout of a global lock");
        OutboxSchema.migrateBack(source);
        forgetOldNodes();
        return done(0, List.of("start the nodes of the old kind"));
    }

    private void change(int claims) throws InterruptedException {
        int before = group.look().map(GroupControl.View::partitions).orElse(0);
        group.changePartitions(claims);
        if (before != claims) {
            tell.accept("claims: " + claims);
        }
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (group.look().map(GroupControl.View::changing).orElse(false)) {
            if (group.members().isEmpty()) {
                tell.accept("no relay runs: the next one that starts takes it over");
                return;
            }
            if (System.nanoTime() - end > 0) {
                throw new InvalidInputException("the relays have not handed their partitions over within "
                        + PATIENCE.toSeconds() + " s; look at their logs, then run this command again");
            }
            Thread.sleep(LOOK_AGAIN);
        }
    }

    private LongConsumer progress() {
        long[] told = {0};
        return rows -> {
            if (rows - told[0] >= ROWS_PER_LINE) {
                told[0] = rows;
                tell.accept(String.format("rows: %,d have their partition ids", rows));
            }
        };
    }

    private Done done(long rows, List<String> next) {
        return new Done(
                OutboxSchema.version(source),
                group.look().map(GroupControl.View::partitions).orElse(1),
                rows,
                next);
    }

    @Override
    public void close() {
        store.close();
    }
}

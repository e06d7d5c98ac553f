package dev.sluice.outbox.table;

import dev.sluice.model.FencingToken;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import javax.sql.DataSource;

/**
 * The outbox's tables, as the relay sees them. Each call takes a connection of the DataSource and gives it back; it blocks
 * until the database has answered.
 *
 * <ul>
 *   <li><b>By presence.</b> A fetch takes the lowest ids that are there, however late they were committed.
 *   <li><b>Fenced.</b> What changes rows on behalf of a partition checks its token in the same transaction: after
 *       {@link #claim} with a higher token nothing of a lower one takes effect any more.
 * </ul>
 *
 * <p>Every call may throw an {@link OutboxDatabaseException}; whether it took effect is not known then. All may be called
 * from many threads.
 */
public final class OutboxTable {
    /** Far more than anything here takes, except to count what waits. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration PATIENCE_COUNTING = Duration.ofMinutes(5);

    private final Database database;
    private final Database counting;
    private final Finish finish;
    private final DeadRows deadRows;
    private final ParkedKeys parkedKeys;

    private final LongSupplier nanos;

    public OutboxTable(DataSource source, Keeping keeping) {
        this(source, keeping, System::nanoTime);
    }

    /** @param nanos elapsed time, as {@link System#nanoTime()} */
    OutboxTable(DataSource source, Keeping keeping, LongSupplier nanos) {
        this.nanos = nanos;
        this.database = new Database(source).waiting(PATIENCE);
        this.counting = database.waiting(PATIENCE_COUNTING);
        this.finish = new Finish(database, keeping);
        this.deadRows = new DeadRows(database);
        this.parkedKeys = new ParkedKeys(database);
    }

    public OutboxDialect dialect() {
        return database.dialect();
    }

    /**
     * Raises a partition's token. Nothing that comes with a lower one is done from now on; a new generation shuts out the
     * owners of all partitions of older ones.
     *
     * @return the last batch of each partition that was finished under a number; none of partitions that were never claimed
     * @throws FencedException when it is higher already
     */
    public Map<Integer, Long> claim(int partition, FencingToken token) {
        return database.transaction("claim partition " + partition, session -> Owner.claim(session, partition, token));
    }

    /** Under which token each partition was claimed last. */
    public Map<Integer, FencingToken> owners() {
        return database.statement("read who owns its partitions", Owner::all);
    }

    /**
     * Which outbox it is: a random id, drawn once and kept in the tables themselves. Names repeat, and row ids begin at 1
     * again where the tables were made anew: they mean something only together with it.
     */
    public String identity() {
        return database.transaction("read which outbox it is", Owner::identity);
    }

    /** The database's clock. */
    public Instant now() {
        return database.statement("read the clock", OutboxTable::now);
    }

    private static Instant now(Session session) throws SQLException {
        OutboxDialect dialect = session.dialect();
        return session.query("SELECT " + dialect.instant(dialect.now()), row -> dialect.instant(row, 1))
                .getFirst();
    }

    /**
     * The rows to be sent next: for each key its first ones, in the order of their ids. They are in the order of their ids
     * altogether, except that keys with urgent rows come first. Fewer than asked for when their payloads are large.
     *
     * @param keys whose rows are left out
     */
    public List<Row> fetch(Slice slice, int limit, Collection<String> keys) {
        return fetch(slice, limit, LeftOut.keys(keys));
    }

    /** The same, with more that may be left out. */
    public List<Row> fetch(Slice slice, int limit, LeftOut leftOut) {
        return fetch(slice, limit, leftOut, IdFloor.none());
    }

    /** The same for who fetches the rows of this slice again and again, and keeps a lower bound of their ids. */
    public List<Row> fetch(Slice slice, int limit, LeftOut leftOut, IdFloor floor) {
        Database waiting = floor.waitsLong() ? counting : database;
        try {
            return waiting.statement("fetch rows", session -> fetch(session, slice, limit, leftOut, floor));
        } catch (OutboxDatabaseException failed) {
            floor.drop();
            throw failed;
        }
    }

    private List<Row> fetch(Session session, Slice slice, int limit, LeftOut leftOut, IdFloor floor)
            throws SQLException {
        long start = nanos.getAsLong();
        List<Row> rows;
        try {
            rows = new Pending(session, slice, limit, leftOut, floor.bound()).rows();
        } catch (SQLException failed) {
            floor.failed(nanos.getAsLong() - start >= PATIENCE.toNanos());
            throw failed;
        }
        floor.fetched(session, slice, rows, Duration.ofNanos(nanos.getAsLong() - start));
        return rows;
    }

    /**
     * Takes rows out that were sent: deletes them, or moves them to {@code outbox_sent}. Those that are gone already do not
     * matter.
     *
     * @return false when nothing was done, since the partition has another owner
     */
    public boolean finish(int partition, FencingToken token, Collection<Long> ids) {
        return finish(partition, token, ids, OptionalLong.empty());
    }

    /**
     * The same by a sender that remembers by itself what it sent, and must know whether the table is as old as its memory.
     *
     * @param batch the number of these rows' batch, one above the last; the last once more does no harm
     * @return false when nothing was done, since the partition has another owner, or its last batch is none of the two
     */
    public boolean finish(int partition, FencingToken token, Collection<Long> ids, OptionalLong batch) {
        return finish.rows(partition, token, ids, batch);
    }

    /** The parked keys that a slice owns, whoever parked them. */
    public List<Parked> parked(Slice slice) {
        return parkedKeys.of(slice);
    }

    /**
     * Remembers, all at once, that keys wait, or that they wait again: from now on, by the database's clock.
     *
     * @return false when nothing was done, since the partition has another owner
     */
    public boolean park(int partition, FencingToken token, Collection<Parked> keys) {
        return parkedKeys.park(partition, token, keys);
    }

    /** @return false when nothing was done, since the partition has another owner */
    public boolean unpark(int partition, FencingToken token, Collection<String> keys) {
        return parkedKeys.unpark(partition, token, keys);
    }

    /** Forgets parked keys whose row is gone: sent by an owner that died before it could say so. @return how many */
    public int cleanParked() {
        return parkedKeys.clean();
    }

    /**
     * Gives rows up, all at once: moves them to {@code outbox_dead}, and lets their keys go on.
     *
     * @return false when nothing was done, since the partition has another owner
     */
    public boolean bury(int partition, FencingToken token, Collection<Burial> burials) {
        return deadRows.bury(partition, token, burials);
    }

    /** The same by who keeps a lower bound of ids: buried rows may come back under their old ids, so it is dropped. */
    public boolean bury(int partition, FencingToken token, Collection<Burial> burials, IdFloor floor) {
        floor.drop();
        return bury(partition, token, burials);
    }

    /**
     * Gives rows without a partition id theirs: those of writers that know no partitions, and requeued ones.
     *
     * @param token of partition 0, whose owner does this for all
     * @return how many; as many as the limit when there may be more; none when partition 0 has another owner
     */
    public int assignPartitions(FencingToken token, int total, int limit) {
        return new PartitionIds(counting, total).assignAs(token, limit);
    }

    /** Counts what waits. Takes a look at every pending row, so not for every batch. */
    public Backlog backlog() {
        return counting.statement(
                "count what waits",
                session -> new Backlog(
                        session.query(
                                "SELECT partition_id, COUNT(*), "
                                        + session.dialect().instant("MIN(created_at)")
                                        + ", MIN(id) FROM outbox_events WHERE status = 0 GROUP BY partition_id ORDER BY partition_id",
                                row -> new Backlog.OfPartition(
                                        row.getObject(1) == null ? null : row.getInt(1),
                                        row.getLong(2),
                                        session.dialect().instant(row, 3),
                                        row.getLong(4))),
                        count(session, "outbox_parked"),
                        count(session, "outbox_dead")));
    }

    private static long count(Session session, String table) throws SQLException {
        return session.query("SELECT COUNT(*) FROM " + table, row -> row.getLong(1))
                .getFirst();
    }

    /** Dead rows in the order of their ids, above this one. */
    public List<Dead> dead(int limit, long after) {
        return deadRows.list(limit, after);
    }

    /**
     * Puts dead rows back under their old ids; they are sent as soon as they have a partition id again (at once while
     * there is one claim).
     *
     * @return how many were dead
     */
    public int requeue(Collection<Long> ids) {
        return ids.isEmpty() ? 0 : deadRows.requeue(OutboxDialect.in("id", ids));
    }

    public int requeueKey(String key) {
        OutboxDialect dialect = database.dialect();
        return deadRows.requeue(
                dialect.equal("message_key"), dialect.equalTo(key).toArray());
    }

    public int requeueAll() {
        return deadRows.requeue("1 = 1");
    }

    /**
     * Deletes what was sent longer ago than this, by the database's clock, the oldest first.
     *
     * @return how many; as many as the limit when there may be more
     */
    public int cleanSent(Duration age, int limit) {
        return database.statement("clean up sent rows", session -> {
            return session.update(
                    session.dialect().deleteOldest("outbox_sent", "sent_at"),
                    session.dialect().value(now(session).minus(age)),
                    limit);
        });
    }
}

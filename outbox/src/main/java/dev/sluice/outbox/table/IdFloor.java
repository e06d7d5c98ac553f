package dev.sluice.outbox.table;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lower bound of the ids of a claim's pending rows, on PostgreSQL. While some snapshot is held for long, even by a reader,
 * vacuum removes nothing, and a fetch without a bound walks over all rows that were sent and deleted since. The bound rises
 * only when fetches are slow, and never above a row that may still be committed late:
 *
 * <ol>
 *   <li>A candidate is the lowest id that is pending now, or the next above all seen. Ids ascend, so a row below it that is
 *       not visible yet is of a transaction that has its id already. An insert locks the table before it draws an id, and holds
 *       that lock until it ends: the transactions that hold it are noted.
 *   <li>When all of these have ended, the lowest pending id is read again. Rows below the candidate that were to come have come.
 * </ol>
 *
 * <p>Rows that have no partition of this outbox yet count as the claim's: they may become that. There is no bound while dead
 * rows of the claim's keys exist: requeued, they come back under their old ids. After the bound was raised only the claim's
 * owner can bury one, and that drops it.
 *
 * <p>A bound holds for one server, since its last start, and for one making of the table: elsewhere ids may be lower, and the
 * fetch itself leaves it out there. Ids that are drawn by nobody (of a writer's own) may come below the bound at any time:
 * {@link #seen} drops it when a count of all pending rows finds one.
 */
public final class IdFloor {
    static final long NONE = Long.MIN_VALUE;
    /** The lowest that PostgreSQL reads as a bigint. */
    static final String LOWEST = "CAST(-9223372036854775807 AS bigint)";

    /** Which server since which start, and which file of the table: another after a failover, and when it is made anew. */
    static final String INCARNATION = "(EXTRACT(EPOCH FROM pg_postmaster_start_time()) || '/'"
            + " || pg_relation_filenode(CAST('outbox_events' AS regclass)))";

    private static final Logger LOG = LoggerFactory.getLogger(IdFloor.class);
    private static final Duration SLOW_FETCH = Duration.ofMillis(100);
    private static final Duration NEVER = Duration.ofDays(365);
    /** With so many dead rows some are taken for the claim's. */
    private static final int MANY_DEAD = 1_000;

    private static final String WRITERS = " FROM pg_locks WHERE locktype = 'relation' AND mode = 'RowExclusiveLock'"
            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            + " AND relation = CAST('outbox_events' AS regclass)";

    /**
     * What a fetch is told.
     *
     * @param incarnation where it holds
     */
    record Bound(long id, String incarnation) {
        static final Bound NO_BOUND = new Bound(NONE, "");
    }

    /** @param writers virtual transaction ids */
    private record Candidate(long id, List<String> writers) {}

    /** What is known when a raise begins. */
    private record Known(
            int drops, Bound bound, long highest, @Nullable Candidate candidate) {}

    private final Duration slowFetch;
    private long floor = NONE;
    /** Of the rows that were fetched from the incarnation. */
    private long highest = NONE;
    /** Of the last raise; empty when there was none since the last drop. */
    private String incarnation = "";

    private int drops;
    private @Nullable Candidate candidate;
    private volatile boolean waitsLong;

    public IdFloor() {
        this(SLOW_FETCH);
    }

    /** @param slowFetch fetches that take less leave the bound as it is */
    IdFloor(Duration slowFetch) {
        this.slowFetch = slowFetch;
    }

    /** For who fetches once: it never rises. */
    static IdFloor none() {
        return new IdFloor(NEVER);
    }

    synchronized Bound bound() {
        return new Bound(floor, incarnation);
    }

    synchronized long id() {
        return floor;
    }

    /** Whether the last fetch was given up: the next may take as long as counting all rows may. */
    boolean waitsLong() {
        return waitsLong;
    }

    /** A fetch failed. @param byItsDuration whether it was given up */
    void failed(boolean byItsDuration) {
        waitsLong = byItsDuration;
        drop();
    }

    /** Drops the bound when a pending row of the claim is below it. @param lowest the lowest id of a count */
    public synchronized void seen(long lowest) {
        if (lowest < floor) {
            drop();
        }
    }

    /** Forgets all ids: the database failed, it may be another now, or rows may come back under old ids. */
    public synchronized void drop() {
        floor = NONE;
        highest = NONE;
        incarnation = "";
        candidate = null;
        drops++;
    }

    /** To be called after each fetch, by one thread. Whatever fails in here, the fetch has succeeded. */
    void fetched(Session session, Slice slice, List<Row> rows, Duration took) {
        waitsLong = false;
        see(rows);
        if (session.dialect() == OutboxDialect.POSTGRESQL && took.compareTo(slowFetch) >= 0) {
            try {
                raise(session, slice);
            } catch (SQLException failed) {
                LOG.debug("the lower bound of ids is dropped: {}", failed.toString());
                drop();
            }
        }
    }

    private synchronized void see(List<Row> rows) {
        if (!incarnation.isEmpty()) {
            rows.forEach(row -> highest = Math.max(highest, row.id()));
        }
    }

    private void raise(Session session, Slice slice) throws SQLException {
        String here = incarnation(session);
        // Before the lowest id is read: what is requeued in between is read then.
        if (here.isEmpty() || isAnyDead(session, slice)) {
            drop();
            return;
        }
        Known known = known(here);
        long from = known.bound().id();
        Candidate waiting = known.candidate();
        if (waiting == null) {
            long next = known.highest() == NONE ? NONE : known.highest() + 1;
            long id = lowest(session, slice, known.bound()).orElse(next);
            if (id > from) {
                // After the lowest id was read: whoever has drawn an id below it holds the lock by now, or has ended.
                set(known, from, new Candidate(id, writers(session)));
            }
        } else if (!isAnyRunning(session, waiting.writers())) {
            OptionalLong lowest = lowest(session, slice, known.bound());
            set(known, Math.min(waiting.id(), lowest.orElse(waiting.id())), null);
        }
    }

    /** Nothing, when what is known is of another incarnation. */
    private synchronized Known known(String here) {
        if (!here.equals(incarnation)) {
            drop();
            incarnation = here;
        }
        return new Known(drops, bound(), highest, candidate);
    }

    private synchronized void set(Known known, long newFloor, @Nullable Candidate next) {
        if (drops == known.drops()) {
            floor = newFloor;
            candidate = next;
        }
    }

    /** Empty where there is no telling. */
    private static String incarnation(Session session) throws SQLException {
        return session.query("SELECT COALESCE(" + INCARNATION + ", '')", row -> row.getString(1))
                .getFirst();
    }

    /** By their keys: that is where they come to when they are requeued. */
    private static boolean isAnyDead(Session session, Slice slice) throws SQLException {
        List<String> keys =
                session.query("SELECT message_key FROM outbox_dead LIMIT " + MANY_DEAD, row -> row.getString(1));
        return keys.size() == MANY_DEAD || keys.stream().anyMatch(slice::owns);
    }

    /** In one statement: a row that gets its partition meanwhile is seen either before or after that. */
    private static OptionalLong lowest(Session session, Slice slice, Bound from) throws SQLException {
        Query query = new Query(session, from)
                .add("SELECT MIN(m.id) FROM ((SELECT e.id")
                .lowest(slice, LeftOut.keys(List.of()), 1)
                .add(")");
        if (!slice.isAll()) {
            query.unassigned(slice);
        }
        try (PreparedStatement statement = query.add(") m").prepare();
                ResultSet rows = statement.executeQuery()) {
            long lowest = rows.next() ? rows.getLong(1) : 0;
            return rows.wasNull() ? OptionalLong.empty() : OptionalLong.of(lowest);
        }
    }

    private static List<String> writers(Session session) throws SQLException {
        return session.query("SELECT virtualtransaction" + WRITERS, row -> row.getString(1));
    }

    /** A prepared transaction has another virtual id than before: any of them may be one of the writers. */
    private static boolean isAnyRunning(Session session, List<String> writers) throws SQLException {
        return session.exists(
                "SELECT 1" + WRITERS + " AND (virtualtransaction = ANY (?) OR virtualtransaction LIKE '-1/%') LIMIT 1",
                session.array("text", writers));
    }
}

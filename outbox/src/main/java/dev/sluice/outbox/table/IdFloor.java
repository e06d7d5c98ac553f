package dev.sluice.outbox.table;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

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
 * <p>Ids that are not drawn by the insert (requeued rows, rows that get their partition id later, ids of a writer's own) may
 * come below the bound at any time: {@link #seen} drops it when a count of all pending rows finds one.
 */
public final class IdFloor {
    static final long NONE = Long.MIN_VALUE;
    private static final Duration SLOW_FETCH = Duration.ofMillis(100);
    private static final Duration NEVER = Duration.ofDays(365);

    private static final String WRITERS = " FROM pg_locks WHERE locktype = 'relation' AND mode = 'RowExclusiveLock'"
            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            + " AND relation = CAST('outbox_events' AS regclass)";

    /** @param writers virtual transaction ids */
    private record Candidate(long id, List<String> writers) {}

    private final Duration slowFetch;
    private long floor = NONE;
    private long highest = NONE;
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

    synchronized long id() {
        return floor;
    }

    /** Whether the last fetch was given up: the next may take as long as counting all rows may. */
    boolean waitsLong() {
        return waitsLong;
    }

    /** Drops the bound: the database may have failed over, and its ids may have gone back. */
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

    private synchronized void drop() {
        floor = NONE;
        candidate = null;
        drops++;
    }

    /** To be called after each fetch, by one thread. */
    void fetched(Session session, Slice slice, List<Row> rows, Duration took) throws SQLException {
        waitsLong = false;
        rows.forEach(row -> highest = Math.max(highest, row.id()));
        if (session.dialect() == OutboxDialect.POSTGRESQL && took.compareTo(slowFetch) >= 0) {
            raise(session, slice);
        }
    }

    private void raise(Session session, Slice slice) throws SQLException {
        int known;
        long from;
        Candidate waiting;
        synchronized (this) {
            known = drops;
            from = floor;
            waiting = candidate;
        }
        if (waiting == null) {
            long id = lowest(session, slice, from).orElse(highest == NONE ? NONE : highest + 1);
            if (id > from) {
                // After the lowest id was read: whoever has drawn an id below it holds the lock by now, or has ended.
                set(known, from, new Candidate(id, writers(session)));
            }
        } else if (!isAnyRunning(session, waiting.writers())) {
            OptionalLong lowest = lowest(session, slice, from);
            set(known, Math.min(waiting.id(), lowest.orElse(waiting.id())), null);
        }
    }

    private synchronized void set(int known, long newFloor, @Nullable Candidate next) {
        if (drops == known) {
            floor = newFloor;
            candidate = next;
        }
    }

    private static OptionalLong lowest(Session session, Slice slice, long from) throws SQLException {
        Query query = new Query(session, from).add("SELECT e.id").lowest(slice, LeftOut.keys(List.of()), 1);
        try (PreparedStatement statement = query.prepare();
                ResultSet rows = statement.executeQuery()) {
            return rows.next() ? OptionalLong.of(rows.getLong(1)) : OptionalLong.empty();
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

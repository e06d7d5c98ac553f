package dev.sluice.outbox.table;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a claim has to send next. Rows are taken by their presence, never by an id above another: a lower id may be
 * committed late. (An {@link IdFloor} is below all of these.) Each key's rows come in the order of their ids, and none is left out before one that comes.
 */
final class Pending {
    /** Larger payloads are read one by one, so that a batch is bounded in bytes as well. */
    static final int SMALL_PAYLOAD = 16 * 1_024;

    static final long MOST_BYTES = 16L << 20;
    /** More than any receiver takes that is worth the name. */
    static final long LARGEST_PAYLOAD = 64L << 20;

    /** What is beyond all partitions is garbage, of which {@link PartitionIds} takes care. */
    private static final String BEYOND = "SELECT 1 FROM outbox_events b WHERE b.status = 0 AND b.partition_id < "
            + Slice.MOST_PARTITIONS + " AND b.partition_id >= ";

    private static final String PAYLOAD =
            "CASE WHEN OCTET_LENGTH(e.payload) <= " + SMALL_PAYLOAD + " THEN e.payload END";

    /**
     * Rows as they came.
     *
     * @param urgent whether some row of the slice has a priority
     * @param beyond whether there are rows with higher partition ids than the slice counts
     */
    private record Batch(List<Row> rows, boolean urgent, boolean beyond) {}

    private final Session session;
    private final Slice slice;
    private final int limit;
    private final LeftOut leftOut;
    private final IdFloor.Bound floor;

    /** @param floor no pending row of the slice has a lower id; see {@link IdFloor} */
    Pending(Session session, Slice slice, int limit, LeftOut leftOut, IdFloor.Bound floor) {
        this.session = session;
        this.slice = slice;
        this.limit = limit;
        this.leftOut = leftOut;
        this.floor = floor;
    }

    List<Row> rows() throws SQLException {
        Pending asked = this;
        while (true) {
            Batch found = asked.inOrder(asked.byId());
            boolean beyond = found.beyond() || found.rows().isEmpty() && asked.isBeyond();
            if (!beyond || asked.slice.total() == Slice.MOST_PARTITIONS) {
                return found.rows();
            }
            // A row may have moved out of sight between two statements: as long as there are any beyond it is done
            // again.
            asked = new Pending(session, asked.wider(), limit, leftOut, IdFloor.Bound.NO_BOUND);
        }
    }

    private Batch inOrder(Batch byId) throws SQLException {
        return byId.urgent() ? urgentFirst(byId) : byId;
    }

    private Batch byId() throws SQLException {
        return read(select(", EXISTS (SELECT 1 FROM outbox_events u"
                        + session.dialect().useUrgentIndex() + " WHERE ")
                .pending("u", slice)
                .add(" AND u.priority > 0), ")
                .add(seesBeyond())
                .lowest(slice, leftOut, limit));
    }

    private String seesBeyond() {
        return slice.isAll() ? "FALSE" : "EXISTS (" + BEYOND + slice.total() + ')';
    }

    private boolean isBeyond() throws SQLException {
        return !slice.isAll() && session.exists(BEYOND + slice.total() + " LIMIT 1");
    }

    /** Some writers count more partitions already than this relay: their rows are of the same keys, and must not wait. */
    private Slice wider() throws SQLException {
        int highest = session.query(
                        "SELECT MAX(partition_id) FROM outbox_events WHERE status = 0 AND partition_id < "
                                + Slice.MOST_PARTITIONS,
                        row -> row.getInt(1))
                .getFirst();
        return new Slice(slice.claim(), slice.claims(), Math.clamp(highest + 1L, slice.total(), Slice.MOST_PARTITIONS));
    }

    /**
     * Keys with urgent rows go first, with all their earlier rows, then the others. Of each key either part has the first
     * rows, so both together do.
     */
    private Batch urgentFirst(Batch byId) throws SQLException {
        Batch urgent = read(select(", FALSE, " + seesBeyond()
                        + " FROM outbox_events e JOIN (SELECT u.message_key, MAX(u.id) AS last_id,"
                        + " MAX(u.priority) AS urgency FROM outbox_events u"
                        + session.dialect().useUrgentIndex() + " WHERE ")
                .pending("u", slice)
                .add(" AND u.priority > 0")
                .without("u", leftOut)
                .add(" GROUP BY u.message_key) k ON e.message_key = k.message_key AND e.id <= k.last_id WHERE ")
                .pending("e", slice)
                .without("e", leftOut)
                .add(" ORDER BY k.urgency DESC, e.id LIMIT ?", limit));
        List<Row> rows = urgent.rows();
        if (rows.size() < limit) {
            Set<Long> taken = new HashSet<>();
            rows.forEach(row -> taken.add(row.id()));
            byId.rows().stream()
                    .filter(row -> !taken.contains(row.id()))
                    .limit((long) limit - rows.size())
                    .forEach(rows::add);
        }
        return new Batch(rows, true, byId.beyond() || urgent.beyond());
    }

    private Query select(String more) {
        return new Query(session, floor)
                .add("SELECT ")
                .add(RowReader.columns(session.dialect(), PAYLOAD))
                .add(more);
    }

    private Batch read(Query query) throws SQLException {
        try (PreparedStatement statement = query.prepare();
                ResultSet result = statement.executeQuery()) {
            RowReader reader = new RowReader(session.dialect());
            List<Row> rows = new ArrayList<>();
            boolean urgent = false;
            boolean beyond = false;
            long bytes = 0;
            while (result.next()) {
                if (bytes > MOST_BYTES) {
                    return new Batch(rows, urgent, beyond);
                }
                urgent = result.getBoolean(RowReader.NEXT_COLUMN);
                beyond = result.getBoolean(RowReader.NEXT_COLUMN + 1);
                byte[] small = reader.payload(result);
                Row row = small == null ? large(reader, result) : reader.row(result, small);
                if (row != null) {
                    bytes += row.payload().length;
                    rows.add(row);
                }
            }
            return new Batch(rows, urgent, beyond);
        }
    }

    /** Null when the row has gone meanwhile. One that no receiver takes is not even read: it might be all our memory. */
    private @Nullable Row large(RowReader reader, ResultSet result) throws SQLException {
        List<Row> found = session.query(
                "SELECT OCTET_LENGTH(e.payload), CASE WHEN OCTET_LENGTH(e.payload) <= " + LARGEST_PAYLOAD
                        + " THEN e.payload END FROM outbox_events e WHERE e.id = ?",
                large -> {
                    byte[] payload = large.getBytes(2);
                    return payload == null
                            ? reader.row(
                                    result,
                                    new byte[0],
                                    HeaderText.unreadable("its payload has " + large.getLong(1) + " bytes, and at most "
                                            + LARGEST_PAYLOAD + " are sent"))
                            : reader.row(result, payload);
                },
                result.getLong(1));
        return found.isEmpty() ? null : found.getFirst();
    }
}

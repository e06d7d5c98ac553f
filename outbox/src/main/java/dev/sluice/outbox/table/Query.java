package dev.sluice.outbox.table;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A statement as it is put together, with its values. */
final class Query {
    /** The order of ids; H2 sees that the index has it only when all columns are named. */
    private static final String BY_INDEX = " ORDER BY e.partition_id, e.status, e.id LIMIT ?";

    private final Session session;
    private final IdFloor.Bound floor;
    private final StringBuilder sql = new StringBuilder(512);
    private final List<Object> values = new ArrayList<>();

    Query(Session session) {
        this(session, IdFloor.Bound.NO_BOUND);
    }

    /** @param floor no pending row that is asked for has a lower id */
    Query(Session session, IdFloor.Bound floor) {
        this.session = session;
        this.floor = floor;
    }

    Query add(String text) {
        sql.append(text);
        return this;
    }

    Query add(String text, Object value) {
        sql.append(text);
        values.add(value);
        return this;
    }

    /** Values for what was added before. */
    Query with(Object... more) {
        values.addAll(List.of(more));
        return this;
    }

    /** The condition for the pending rows of a slice. */
    Query pending(String table, Slice slice) {
        if (!slice.isAll()) {
            List<Integer> ids = slice.partitionIds();
            if (ids.size() == 1) {
                return pending(table, ids.getFirst());
            }
            add(OutboxDialect.in(table + ".partition_id", ids)).add(" AND ");
        }
        return add(table).add(".status = 0").aboveFloor(table);
    }

    private Query pending(String table, int partition) {
        add(table).add(".partition_id = ? AND ", partition).add(table).add(".status = 0");
        return aboveFloor(table);
    }

    /** Nothing is left out where the bound does not hold. */
    private Query aboveFloor(String table) {
        return floor.id() == IdFloor.NONE
                ? this
                : add(" AND ")
                        .add(table)
                        .add(".id >= CASE WHEN " + IdFloor.INCARNATION + " = ?", floor.incarnation())
                        .add(" THEN " + floor.id() + " ELSE " + IdFloor.LOWEST + " END");
    }

    /** Adds the lowest id of the rows that have no partition yet, and lower than any when some have one that nobody counts. */
    Query unassigned(Slice slice) {
        add(" UNION ALL (SELECT e.id FROM outbox_events e WHERE e.partition_id IS NULL AND e.status = 0")
                .aboveFloor("e")
                .add(BY_INDEX + ")", 1);
        for (String wrong : List.of("e.partition_id < 0", "e.partition_id >= " + slice.total())) {
            add(" UNION ALL (SELECT " + IdFloor.LOWEST + " FROM outbox_events e WHERE " + wrong)
                    .add(" AND e.status = 0" + BY_INDEX + ")", 1);
        }
        return this;
    }

    /** The pending rows of a slice with the lowest ids, as {@code e}: read in this order from an index, none besides. */
    Query lowest(Slice slice, LeftOut leftOut, int limit) throws SQLException {
        List<Integer> ids = slice.isAll() ? List.of() : slice.partitionIds();
        add(" FROM ");
        if (ids.size() > 1) {
            String next = "(";
            for (int id : ids) {
                add(next).add("(SELECT * FROM outbox_events e WHERE ").pending("e", id);
                without("e", leftOut).add(BY_INDEX + ")", limit);
                next = " UNION ALL ";
            }
            return add(") e ORDER BY e.id LIMIT ?", limit);
        }
        add("outbox_events e WHERE ");
        if (!slice.isAll()) {
            return pending("e", slice).without("e", leftOut).add(BY_INDEX, limit);
        }
        // Written so that PostgreSQL does not take pending rows for rare, and sorts all of them, before it has
        // counted.
        add("CASE WHEN e.status = 0 THEN TRUE ELSE FALSE END").aboveFloor("e");
        return without("e", leftOut).add(" ORDER BY e.id LIMIT ?", limit);
    }

    Query without(String table, LeftOut leftOut) throws SQLException {
        notIn(table + ".message_key", leftOut.keys());
        notIn(table + ".topic", leftOut.topics());
        if (leftOut.parked()) {
            add(session.dialect().notParked(table + ".message_key"));
        }
        return this;
    }

    private void notIn(String column, Collection<String> texts) throws SQLException {
        if (texts.isEmpty()) {
            return;
        }
        sql.append(session.dialect().notIn(column, texts.size()));
        if (session.dialect() == OutboxDialect.POSTGRESQL) {
            values.add(session.array("text", texts));
        } else {
            values.addAll(texts);
        }
    }

    PreparedStatement prepare() throws SQLException {
        PreparedStatement statement = session.connection().prepareStatement(sql.toString());
        try {
            for (int k = 0; k < values.size(); k++) {
                statement.setObject(k + 1, values.get(k));
            }
            return statement;
        } catch (SQLException failed) {
            statement.close();
            throw failed;
        }
    }
}

package dev.sluice.outbox.table;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A statement as it is put together, with its values. */
final class Query {
    private final Session session;
    private final StringBuilder sql = new StringBuilder(512);
    private final List<Object> values = new ArrayList<>();

    Query(Session session) {
        this.session = session;
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

    /** The condition for the pending rows of a slice. */
    Query pending(String table, Slice slice) {
        if (!slice.isAll()) {
            List<Integer> ids = slice.partitionIds();
            if (ids.size() == 1) {
                add(table + ".partition_id = ? AND ", ids.getFirst());
            } else {
                add(OutboxDialect.in(table + ".partition_id", ids) + " AND ");
            }
        }
        return add(table + ".status = 0");
    }

    Query withoutKeys(String table, Collection<String> keys) throws SQLException {
        if (keys.isEmpty()) {
            return this;
        }
        sql.append(session.dialect().notIn(table + ".message_key", keys.size()));
        if (session.dialect() == OutboxDialect.POSTGRESQL) {
            values.add(session.array("text", keys));
        } else {
            values.addAll(keys);
        }
        return this;
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

package dev.sluice.outbox.table;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The columns that a table has; none when there is no such table. */
record Columns(Set<String> names) {
    static Columns of(Session session, String table) throws SQLException {
        try (PreparedStatement nothing =
                        session.connection().prepareStatement("SELECT * FROM " + table + " WHERE 1 = 0");
                ResultSet none = nothing.executeQuery()) {
            ResultSetMetaData columns = none.getMetaData();
            Set<String> names = new HashSet<>();
            for (int k = 1; k <= columns.getColumnCount(); k++) {
                names.add(columns.getColumnName(k).toLowerCase(Locale.ROOT));
            }
            return new Columns(names);
        } catch (SQLException failed) {
            if (isNoTable(failed.getSQLState())) {
                return new Columns(Set.of());
            }
            throw failed;
        }
    }

    private static boolean isNoTable(@Nullable String state) {
        return state != null && (state.equals("42P01") || state.startsWith("42S0"));
    }

    boolean has(String column) {
        return names.contains(column);
    }

    boolean isEmpty() {
        return names.isEmpty();
    }
}

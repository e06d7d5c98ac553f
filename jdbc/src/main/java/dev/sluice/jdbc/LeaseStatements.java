package dev.sluice.jdbc;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.provider.sql.SqlConfiguration;
import net.javacrumbs.shedlock.provider.sql.SqlStatementsSource;

/** ShedLock's own statements, with the database's time, for one holder. Their parameters have names; JDBC's have places. */
final class LeaseStatements extends SqlConfiguration {
    private static final Pattern PARAMETER = Pattern.compile(":([A-Za-z]+)");

    private LeaseStatements(Dialect dialect, String lockedBy) {
        super(
                dialect.product(),
                false,
                DEFAULT_TABLE_NAME,
                null,
                new ColumnNames("name", "lock_until", "locked_at", "locked_by"),
                lockedBy,
                true);
    }

    /** @return whether the statement changed the row */
    static boolean run(
            Session session, String lockedBy, Function<SqlStatementsSource, String> which, LockConfiguration lock)
            throws SQLException {
        SqlStatementsSource source = SqlStatementsSource.create(new LeaseStatements(session.dialect(), lockedBy));
        Map<String, Object> values = source.params(lock);
        List<Object> inPlace = new ArrayList<>();
        Matcher parameters = PARAMETER.matcher(which.apply(source));
        String sql = parameters.replaceAll(found -> {
            inPlace.add(values.get(found.group(1)));
            return "?";
        });
        return session.update(sql, inPlace.toArray()) > 0;
    }
}

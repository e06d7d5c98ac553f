package dev.sluice.jdbc;

import dev.sluice.coordinate.StoreUnavailableException;
import java.sql.SQLException;
import java.util.Set;

/** What an error of the database means here. */
public final class SqlFailure {
    /** Serialization failure, deadlock, lock not available, and H2's concurrent update. */
    private static final Set<String> UNDONE_STATES = Set.of("40001", "40P01", "55P03", "90131");

    /** MariaDB's lock wait timeout and "record has changed since last read", H2's lock timeout. */
    private static final Set<Integer> UNDONE_CODES = Set.of(1205, 1020, 50200);

    private SqlFailure() {}

    /** The key is there already. */
    public static boolean isDuplicate(SQLException failure) {
        return state(failure).startsWith("23");
    }

    /** The database gave way to another transaction and has changed nothing: worth another try. */
    public static boolean isUndone(SQLException failure) {
        return UNDONE_STATES.contains(state(failure)) || UNDONE_CODES.contains(failure.getErrorCode());
    }

    static StoreUnavailableException unavailable(SQLException failure) {
        String remedy = state(failure).startsWith("42")
                ? "it refuses a statement: create its tables with JdbcCoordinationStore.createTables, and let its user"
                        + " read and write them"
                : "see that it runs, can be reached and has a connection to spare";
        return new StoreUnavailableException(
                "The database of the coordination store did not do it; " + remedy + ". It said: "
                        + failure.getMessage(),
                failure);
    }

    private static String state(SQLException failure) {
        String state = failure.getSQLState();
        return state == null ? "" : state;
    }
}

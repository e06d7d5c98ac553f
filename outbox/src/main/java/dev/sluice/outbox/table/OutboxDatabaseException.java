package dev.sluice.outbox.table;

import java.io.Serial;
import java.sql.SQLException;

/** The database did not do what was asked; whether it took effect is not known. */
public final class OutboxDatabaseException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    OutboxDatabaseException(String doing, SQLException cause) {
        super("The outbox could not " + doing + "; " + remedy(cause) + ". The database said: " + said(cause), cause);
    }

    /** Not what stands below: PostgreSQL quotes the row there, and with it a payload. */
    private static String said(SQLException cause) {
        return String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    }

    OutboxDatabaseException(String message) {
        super(message);
    }

    private static String remedy(SQLException cause) {
        String state = cause.getSQLState();
        return state != null && state.startsWith("42")
                ? "create its tables with OutboxSchema.create, migrate older ones, and let its user read and write them"
                : "see that the database runs, can be reached and has a connection to spare";
    }
}

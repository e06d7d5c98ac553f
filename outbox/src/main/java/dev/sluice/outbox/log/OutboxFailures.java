package dev.sluice.outbox.log;

import dev.sluice.capture.SourceException;
import dev.sluice.capture.SourceFailure;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.model.InvalidInputException;
import dev.sluice.outbox.table.FencedException;
import dev.sluice.outbox.table.OutboxDatabaseException;
import java.sql.SQLException;

/** What a failure of the database means to capture, told apart by its kind and SQL state. */
final class OutboxFailures {
    /** Syntax or access: no such table or column, no permission. */
    private static final String WRONG_SCHEMA = "42";

    private static final String WRONG_CREDENTIALS = "28";

    /** What may fail. */
    interface Work<T> {
        T run() throws SourceException, InterruptedException;
    }

    private OutboxFailures() {}

    static <T> T named(Work<T> work) throws SourceException {
        try {
            return work.run();
        } catch (OutboxDatabaseException | StoreUnavailableException failed) {
            throw new SourceException(classify(failed), failed);
        } catch (FencedException | InvalidInputException refused) {
            throw new SourceException(new SourceFailure.Misconfigured(String.valueOf(refused.getMessage())), refused);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SourceException(new SourceFailure.Retryable("interrupted"), stopped);
        }
    }

    private static SourceFailure classify(RuntimeException failed) {
        String sentence = String.valueOf(failed.getMessage());
        for (Throwable cause = failed.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql
                    && sql.getSQLState() != null
                    && (sql.getSQLState().startsWith(WRONG_SCHEMA)
                            || sql.getSQLState().startsWith(WRONG_CREDENTIALS))) {
                return new SourceFailure.Misconfigured(sentence);
            }
        }
        return new SourceFailure.Retryable(sentence);
    }
}

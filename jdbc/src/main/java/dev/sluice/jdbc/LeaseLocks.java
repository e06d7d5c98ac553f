package dev.sluice.jdbc;

import java.sql.SQLException;
import java.util.function.Function;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.provider.sql.SqlStatementsSource;
import net.javacrumbs.shedlock.support.StorageAccessor;
import net.javacrumbs.shedlock.support.StorageBasedLockProvider;

/**
 * ShedLock's lock provider for one holder, on plain JDBC. ShedLock decides what to run and writes the SQL; only the running
 * is ours. Its JdbcTemplate provider does the same with Spring, which applications need not have, and takes a commit
 * whose outcome is unknown for a refusal, which we must not.
 */
final class LeaseLocks extends StorageBasedLockProvider {
    LeaseLocks(Database database, LeaseName name) {
        super(new Rows(database, name));
    }

    private record Rows(Database database, LeaseName name) implements StorageAccessor {
        @Override
        public boolean insertRecord(LockConfiguration lock) {
            return database.transaction(session -> {
                try {
                    return run(session, SqlStatementsSource::getInsertStatement, lock);
                } catch (SQLException failed) {
                    if (!SqlFailure.isDuplicate(failed)) {
                        throw failed;
                    }
                    session.connection().rollback();
                    return false;
                }
            });
        }

        @Override
        public boolean updateRecord(LockConfiguration lock) {
            return database.transaction(session -> run(session, SqlStatementsSource::getUpdateStatement, lock));
        }

        /** ShedLock's statement alone would revive a lease that ended while it waited for the row. */
        @Override
        public boolean extend(LockConfiguration lock) {
            return database.transaction(session ->
                    LeaseRows.holdIfLive(session, name) && run(session, SqlStatementsSource::getExtendStatement, lock));
        }

        @Override
        public void unlock(LockConfiguration lock) {
            database.transaction(session -> run(session, SqlStatementsSource::getUnlockStatement, lock));
        }

        private boolean run(Session session, Function<SqlStatementsSource, String> which, LockConfiguration lock)
                throws SQLException {
            return LeaseStatements.run(session, name.lockedBy(), which, lock);
        }
    }
}

package dev.sluice.outbox.log;

import dev.sluice.outbox.table.TestDatabase;

class PostgresOutboxLogTest extends OutboxLogContract {
    @Override
    TestDatabase kind() {
        return TestDatabase.POSTGRESQL;
    }
}

package dev.sluice.outbox;

import dev.sluice.outbox.table.TestDatabase;

class PostgresOutboxTest extends OutboxContract {
    PostgresOutboxTest() {
        super(TestDatabase.POSTGRESQL);
    }
}

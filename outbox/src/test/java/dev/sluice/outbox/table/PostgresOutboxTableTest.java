package dev.sluice.outbox.table;

class PostgresOutboxTableTest extends OutboxTableContract {
    PostgresOutboxTableTest() {
        super(TestDatabase.POSTGRESQL);
    }
}

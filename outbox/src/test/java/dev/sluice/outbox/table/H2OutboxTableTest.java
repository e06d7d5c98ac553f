package dev.sluice.outbox.table;

class H2OutboxTableTest extends OutboxTableContract {
    H2OutboxTableTest() {
        super(TestDatabase.H2);
    }
}

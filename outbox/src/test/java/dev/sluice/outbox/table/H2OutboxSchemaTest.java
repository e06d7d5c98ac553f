package dev.sluice.outbox.table;

class H2OutboxSchemaTest extends OutboxSchemaContract {
    H2OutboxSchemaTest() {
        super(TestDatabase.H2);
    }
}

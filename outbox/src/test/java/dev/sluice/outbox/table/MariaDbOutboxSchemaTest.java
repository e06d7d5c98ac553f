package dev.sluice.outbox.table;

class MariaDbOutboxSchemaTest extends OnlineSchemaContract {
    MariaDbOutboxSchemaTest() {
        super(TestDatabase.MARIADB);
    }
}

package dev.sluice.outbox.table;

class MariaDbOutboxTableTest extends OutboxTableContract {
    MariaDbOutboxTableTest() {
        super(TestDatabase.MARIADB);
    }
}

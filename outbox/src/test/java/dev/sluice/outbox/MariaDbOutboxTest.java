package dev.sluice.outbox;

import dev.sluice.outbox.table.TestDatabase;

class MariaDbOutboxTest extends OutboxContract {
    MariaDbOutboxTest() {
        super(TestDatabase.MARIADB);
    }
}

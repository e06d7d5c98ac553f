package dev.sluice.outbox;

import dev.sluice.outbox.table.TestDatabase;

class H2OutboxTest extends OutboxContract {
    H2OutboxTest() {
        super(TestDatabase.H2);
    }
}

package dev.sluice.outbox.log;

import dev.sluice.outbox.table.TestDatabase;

class H2OutboxLogTest extends OutboxLogContract {
    @Override
    TestDatabase kind() {
        return TestDatabase.H2;
    }
}

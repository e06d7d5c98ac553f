package dev.sluice.outbox.table;

import org.junit.jupiter.api.Test;

class MariaDbOutboxTableTest extends OutboxTableContract {
    MariaDbOutboxTableTest() {
        super(TestDatabase.MARIADB);
    }

    @Test
    @Override
    void oneWhoFallsSilentHoldsItsSuccessorUpOnlyForAWhile() throws Exception {
        super.oneWhoFallsSilentHoldsItsSuccessorUpOnlyForAWhile();
    }
}

package dev.sluice.outbox.table;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class MariaDbOutboxTableTest extends OutboxTableContract {
    MariaDbOutboxTableTest() {
        super(TestDatabase.MARIADB);
    }

    @Test
    @Timeout(60)
    @Override
    void oneWhoFallsSilentHoldsItsSuccessorUpOnlyForAWhile() throws Exception {
        super.oneWhoFallsSilentHoldsItsSuccessorUpOnlyForAWhile();
    }
}

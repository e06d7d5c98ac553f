package dev.sluice.outbox.table;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class MariaDbOutboxTableTest extends OutboxTableContract {
    MariaDbOutboxTableTest() {
        super(TestDatabase.MARIADB);
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @Override
    void oneWhoFallsSilentHoldsItsSuccessorUpOnlyForAWhile() throws Exception {
        super.oneWhoFallsSilentHoldsItsSuccessorUpOnlyForAWhile();
    }
}

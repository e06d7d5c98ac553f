package dev.sluice.outbox.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.FencingToken;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class PostgresOutboxTableTest extends OutboxTableContract {
    PostgresOutboxTableTest() {
        super(TestDatabase.POSTGRESQL);
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @Override
    void oneWhoFallsSilentHoldsItsSuccessorUpOnlyForAWhile() throws Exception {
        super.oneWhoFallsSilentHoldsItsSuccessorUpOnlyForAWhile();
    }

    @Test
    void aPayloadThatNobodyTakesIsNotEvenRead() throws Exception {
        OutboxTable table = new OutboxTable(pool(), Keeping.DELETE);
        TestDatabase.run(
                pool(),
                "INSERT INTO outbox_events (topic, message_key, payload) VALUES ('orders', 'huge', convert_to(repeat('x', "
                        + (Pending.LARGEST_PAYLOAD + 1) + "), 'UTF8'))");
        Row huge = table.fetch(Slice.all(), 10, List.of()).getFirst();
        assertThat(huge.payload()).isEmpty();
        assertThat(HeaderText.whyUnreadable(huge.headers()))
                .hasValueSatisfying(why -> assertThat(why).contains("67108865 bytes"));
    }

    /** Its finishing statement is one of its own. */
    @Test
    void aClaimWaitsForTheStatementThatIsFinishing() throws Exception {
        FencingToken first = new FencingToken(1, 1);
        OutboxTable table = new OutboxTable(pool(), Keeping.DELETE);
        table.claim(7, first);
        try (Connection finishing = pool().getConnection()) {
            finishing.setAutoCommit(false);
            Session session = new Session(finishing, OutboxDialect.POSTGRESQL);
            assertThat(session.exists(Finish.POSTGRESQL_DELETE, 7, 1, 1, session.array("bigint", List.of(1L))))
                    .isTrue();
            Thread claim = Thread.ofVirtual().start(() -> table.claim(7, first.nextEpoch()));
            assertThat(claim.join(Duration.ofMillis(200))).isFalse();
            finishing.commit();
            claim.join();
        }
        assertThat(table.finish(7, first, List.of(1L))).isFalse();
    }
}

package dev.sluice.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.FencingToken;
import dev.sluice.outbox.table.Keeping;
import dev.sluice.outbox.table.OutboxTable;
import dev.sluice.outbox.table.Slice;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class HousekeepingTest {
    private final TestRows rows = TestRows.onH2(1);

    @Test
    void keptRowsGoWhenTheyAreAsOldAsIsSet() throws SQLException {
        sent(1, 6);
        sent(2, 8);
        sent(3, 9);
        RelaySettings settings = RelaySettings.DEFAULT.keepingFor(Duration.ofDays(7));
        Housekeeping housekeeping = new Housekeeping(
                "test",
                new OutboxTable(rows.source(), Keeping.KEEP),
                settings,
                new RelayCounters(),
                () -> new Slice(0, 1, 1),
                () -> Optional.of(new FencingToken(1, 1)),
                counted -> {});
        housekeeping.start();
        try {
            while (rows.count("outbox_sent") > 1) {
                LockSupport.parkNanos(5_000_000);
            }
        } finally {
            housekeeping.close();
        }
        assertThat(rows.count("outbox_sent WHERE id = 1")).isOne();
    }

    private void sent(long id, int daysAgo) throws SQLException {
        try (var connection = rows.source().getConnection();
                var statement = connection.createStatement()) {
            statement.execute(
                    "INSERT INTO outbox_sent (id, topic, message_key, type, payload, priority, created_at, sent_at)"
                            + " VALUES (" + id + ", 't', 'k', '', X'00', 0, CURRENT_TIMESTAMP, DATEADD(DAY, -" + daysAgo
                            + ", CURRENT_TIMESTAMP))");
        }
    }
}

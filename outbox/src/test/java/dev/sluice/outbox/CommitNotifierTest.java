package dev.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.outbox.table.OutboxDialect;
import dev.sluice.outbox.table.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

class CommitNotifierTest {
    private static int heard(Connection connection, Duration within) throws SQLException {
        return connection.unwrap(PGConnection.class).getNotifications((int) within.toMillis()).length;
    }

    @Test
    void manyCommitsBecomeFewNotificationsAndTheLastIsNotForgotten() throws SQLException {
        try (HikariDataSource pool = TestDatabase.POSTGRESQL.empty();
                Outbox outbox = Outbox.builder().notifyThrough(pool).build();
                Connection listening = pool.getConnection();
                Statement listen = listening.createStatement()) {
            listen.execute("LISTEN " + OutboxDialect.CHANNEL);
            outbox.committed();
            assertThat(heard(listening, Duration.ofSeconds(10))).isEqualTo(1);

            long start = System.nanoTime();
            for (int k = 0; k < 300; k++) {
                outbox.committed();
                LockSupport.parkNanos(1_000_000);
            }
            long intervals = (System.nanoTime() - start) / 50_000_000;
            int heard = heard(listening, Duration.ofSeconds(10));
            int all = heard;
            while ((heard = heard(listening, Duration.ofMillis(300))) > 0) {
                all += heard;
            }
            assertThat((long) all).isBetween(1L, intervals + 2);
            listen.execute("UNLISTEN *");
        }
    }
}

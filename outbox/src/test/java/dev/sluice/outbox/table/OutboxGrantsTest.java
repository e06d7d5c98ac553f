package dev.sluice.outbox.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.model.FencingToken;
import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The grants that {@code docs/outbox.md} shows are enough, on PostgreSQL. */
class OutboxGrantsTest {
    private static final FencingToken TOKEN = new FencingToken(1, 1);
    private static final List<String> USERS = List.of("app", "relay", "operator");

    private static List<String> grants() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "outbox.md"));
        String section = page.substring(page.indexOf("\n## Grants"));
        return Pattern.compile("^GRANT .*;$", Pattern.MULTILINE)
                .matcher(section.substring(0, section.indexOf("\n## ", 1)))
                .results()
                .map(grant -> grant.group())
                .toList();
    }

    private static HikariDataSource as(String user, HikariDataSource owner) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(owner.getJdbcUrl().replace("user=postgres", "user=" + user));
        pool.setMaximumPoolSize(2);
        return pool;
    }

    @Test
    void eachUserCanDoItsWorkAndAWriterNothingElse() throws SQLException, IOException {
        try (HikariDataSource owner = TestDatabase.POSTGRESQL.ready()) {
            Matcher schema = Pattern.compile("currentSchema=(\\w+)").matcher(owner.getJdbcUrl());
            assertThat(schema.find()).isTrue();
            String suffix = '_' + schema.group(1);
            for (String user : USERS) {
                TestDatabase.run(owner, "CREATE ROLE " + user + suffix + " LOGIN");
                TestDatabase.run(owner, "GRANT USAGE ON SCHEMA " + schema.group(1) + " TO " + user + suffix);
            }
            assertThat(grants()).hasSizeGreaterThan(5);
            for (String grant : grants()) {
                TestDatabase.run(owner, grant.replaceAll("TO (\\w+);", "TO $1" + suffix));
            }
            try (HikariDataSource app = as("app" + suffix, owner);
                    HikariDataSource relay = as("relay" + suffix, owner);
                    HikariDataSource operator = as("operator" + suffix, owner)) {
                write(app);
                relay(relay);
                assertThat(new OutboxTable(operator, Keeping.DELETE).requeueAll())
                        .isEqualTo(1);
            }
        }
    }

    private static void write(HikariDataSource app) throws SQLException {
        Outbox outbox = Outbox.builder().strictKeyOrder(true).build();
        try (Connection connection = app.getConnection()) {
            connection.setAutoCommit(false);
            OutboxMessage message = OutboxMessage.to("orders").key("42").build();
            outbox.append(connection, List.of(message, message));
            connection.commit();
        }
        for (String refused : List.of("SELECT 1 FROM outbox_events", "DELETE FROM outbox_events")) {
            assertThatThrownBy(() -> TestDatabase.run(app, refused)).hasMessageContaining("permission denied");
        }
    }

    private static void relay(HikariDataSource relay) {
        OutboxTable table = new OutboxTable(relay, Keeping.KEEP);
        table.claim(0, TOKEN);
        table.claim(0, TOKEN.nextGeneration());
        FencingToken token = TOKEN.nextGeneration();
        List<Row> rows = table.fetch(Slice.all(), 10, List.of());
        assertThat(rows).hasSize(2);
        long first = rows.getFirst().id();
        assertThat(table.park(0, token, List.of(new Parked("42", first, 1, Duration.ZERO, "away"))))
                .isTrue();
        assertThat(table.identity()).isNotEmpty();
        assertThat(table.parked(Slice.all())).hasSize(1);
        assertThat(table.unpark(0, token, List.of("42"))).isTrue();
        assertThat(table.bury(0, token, List.of(new Burial(rows.getFirst(), "bad", 1, false))))
                .isTrue();
        assertThat(table.finish(0, token, List.of(rows.getLast().id()))).isTrue();
        assertThat(table.assignPartitions(token, 6, 10)).isZero();
        assertThat(table.cleanSent(Duration.ofSeconds(-1), 10)).isEqualTo(1);
        assertThat(table.backlog().dead()).isEqualTo(1);
        assertThat(table.dead(10, 0)).hasSize(1);
    }
}

package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxMessage;
import dev.sluice.testkit.servers.PostgresServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice outbox} on a database without relays. */
@Timeout(120)
class OutboxCommandTest {
    @TempDir
    Path folder;

    private String url;

    @BeforeEach
    void database() {
        url = PostgresServer.shared().jdbcUrl(PostgresServer.shared().createDatabase());
    }

    private record Answer(int code, String out, String err) {
        BsonDocument json() {
            return BsonDocument.parse(out);
        }
    }

    private Answer outbox(String command, String... arguments) {
        return outbox(Map.of(), url, command, arguments);
    }

    private static Answer outbox(Map<String, String> environment, String url, String command, String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        var all = new ArrayList<>(List.of("outbox", command, "--jdbc-url", url));
        all.addAll(List.of(arguments));
        var code = Sluice.run(
                new PrintWriter(out, true), new PrintWriter(err, true), environment, all.toArray(String[]::new));
        return new Answer(code, out.toString(), err.toString());
    }

    private void write(Outbox outbox, int count) throws Exception {
        try (var connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            for (var i = 0; i < count; i++) {
                outbox.append(connection, OutboxMessage.to("t").key("k" + i).build());
            }
            connection.commit();
        }
    }

    private void sql(String statement) throws Exception {
        try (var connection = DriverManager.getConnection(url);
                var run = connection.createStatement()) {
            run.execute(statement);
        }
    }

    @Test
    void tablesAreMadeOnceAndWhatWaitsIsCounted() throws Exception {
        assertThat(outbox("status"))
                .satisfies(answer -> assertThat(answer.code()).isEqualTo(1))
                .satisfies(answer -> assertThat(answer.err()).contains("sluice outbox init"));
        assertThat(outbox("init").out()).contains("there now", "sluice run --role");
        assertThat(outbox("init", "--json").out()).isEqualTo("{\"tables\": 2, \"created\": false}\n");
        write(Outbox.builder().partitions(3).build(), 20);
        var status = outbox("status", "--json").json();
        assertThat(status.getNumber("pending").intValue()).isEqualTo(20);
        assertThat(status.getArray("partitions")).hasSize(3);
        assertThat(status.getString("database").getValue()).isEqualTo("postgresql");
        assertThat(outbox("status").out()).contains("PARTITION", "20 pending, 0 keys parked, 0 dead; no relay runs");
    }

    @Test
    void deadMessagesAreListedAndPutBack() throws Exception {
        outbox("init");
        sql("INSERT INTO outbox_dead (id, topic, message_key, type, payload, headers, priority, created_at, reason,"
                + " attempts, dead_at, later_rows_sent) SELECT n, 't', 'k' || n, '', '', '{}', 0, now(), 'too large', 1,"
                + " now(), FALSE FROM generate_series(1, 4) n");
        assertThat(outbox("status", "--dead").out()).contains("4 dead", "REASON", "too large");
        assertThat(outbox("status", "--dead", "--json", "--after", "2", "--limit", "1")
                        .json()
                        .getArray("deadRows"))
                .singleElement()
                .satisfies(row ->
                        assertThat(row.asDocument().getNumber("id").intValue()).isEqualTo(3));
        assertThat(outbox("requeue").code()).isEqualTo(2);
        assertThat(outbox("requeue", "1", "--all").err()).contains("only one of them");
        assertThat(outbox("requeue", "1", "99").out()).isEqualTo("put back, to be sent again: 1\n");
        assertThat(outbox("requeue", "1").code()).isEqualTo(1);
        assertThat(outbox("requeue", "--key", "k2").out()).contains("again: 1");
        assertThat(outbox("requeue", "--all", "--json")
                        .json()
                        .getNumber("requeued")
                        .intValue())
                .isEqualTo(2);
        assertThat(outbox("status", "--json").json().getNumber("pending").intValue())
                .isEqualTo(4);
    }

    @Test
    void anOutboxOfTheOldKindIsTakenForwardAndBackWithAllItsMessages() throws Exception {
        assertThat(outbox("migrate", "--partitions", "4").err()).contains("sluice outbox init");
        outbox("init");
        write(Outbox.builder().build(), 2_500);
        assertThat(outbox("migrate", "--back").out())
                .contains("tables of a global lock", "start the nodes of the old kind");
        assertThat(outbox("status").out()).contains("sluice outbox migrate");

        var forward = outbox("migrate", "--partitions", "4", "--json");
        assertThat(forward.err()).contains("claims: one for all", "tables: columns");
        assertThat(forward.json().getNumber("rows").intValue()).isEqualTo(2_500);
        assertThat(forward.json().getNumber("claims").intValue()).isEqualTo(1);
        assertThat(forward.out()).contains("outbox.global_lock", "--old-nodes-gone");

        assertThat(outbox("migrate", "--partitions", "4").out())
                .as("old nodes may still run")
                .contains("one claim for all; 0 rows", "--old-nodes-gone");
        assertThat(outbox("migrate", "--partitions", "4", "--old-nodes-gone").out())
                .contains("4 claims; 0 rows");
        assertThat(outbox("migrate", "--partitions", "12").out()).contains("12 claims; ");
        var fewer = outbox("migrate", "--partitions", "6");
        assertThat(fewer.out()).contains("6 claims; 0 rows", "restart applications and relays", "again");
        assertThat(outbox("migrate", "--partitions", "6").out())
                .contains("6 claims; ")
                .doesNotContain("next:");
        var seven = outbox("migrate", "--partitions", "7");
        assertThat(seven.code()).isNotZero();
        assertThat(seven.err()).contains("migrate --global-lock", "outbox.total.partitions: 7");
        assertThat(outbox("migrate", "--global-lock").code()).isZero();
        assertThat(outbox("migrate", "--partitions", "7").out()).contains("7 claims");
        var status = outbox("status", "--json").json();
        assertThat(status.getArray("partitions")).hasSize(7);
        assertThat(status.getNumber("pending").intValue()).isEqualTo(2_500);

        assertThat(outbox("migrate", "--global-lock").out()).contains("one claim for all", "outbox.global_lock");
        assertThat(outbox("migrate", "--back").code()).isZero();
        assertThat(outbox("init").err()).contains("sluice outbox migrate");
    }

    @Test
    void interruptedOnItsWayFromAGlobalLockItGoesOnWhereItWas() throws Exception {
        outbox("init");
        write(Outbox.builder().build(), 10);
        outbox("migrate", "--back");
        // Ended between the columns and the rest.
        sql("ALTER TABLE outbox_events ADD COLUMN partition_id INT");
        sql("ALTER TABLE outbox_events ADD COLUMN priority SMALLINT NOT NULL DEFAULT 0");
        assertThat(outbox("status").out()).contains("sluice outbox migrate");
        assertThat(outbox("migrate", "--partitions", "4").out()).contains("one claim for all; 10 rows");
        assertThat(outbox("status", "--json").json().getArray("partitions")).hasSize(4);

        // Ended while rows get their partition ids.
        outbox("migrate", "--back");
        sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''not now''; END'");
        sql("CREATE TRIGGER refusing BEFORE UPDATE ON outbox_events EXECUTE FUNCTION refuse()");
        assertThat(outbox("migrate", "--partitions", "4").code()).isNotZero();
        sql("DROP TRIGGER refusing ON outbox_events");
        assertThat(outbox("migrate", "--partitions", "4").out()).contains("one claim for all; 10 rows");
    }

    @Test
    void whereNoOldNodesRunOneCommandGoesAllTheWay() throws Exception {
        outbox("init");
        write(Outbox.builder().build(), 10);
        outbox("migrate", "--back");
        assertThat(outbox("migrate", "--partitions", "4", "--old-nodes-gone").out())
                .contains("4 claims; 10 rows")
                .doesNotContain("next:");
        assertThat(outbox("migrate", "--partitions", "8").out()).contains("8 claims");
    }

    @Test
    void wrongUsageIsOneSentenceAndHelpTeaches() {
        assertThat(outbox("migrate").code()).isEqualTo(2);
        assertThat(outbox("migrate", "--partitions", "4", "--back").code()).isEqualTo(2);
        assertThat(outbox("migrate", "--back", "--old-nodes-gone").err()).contains("--partitions only");
        assertThat(outbox("migrate", "--partitions", "0"))
                .satisfies(answer -> assertThat(answer.code()).isEqualTo(2))
                .satisfies(answer -> assertThat(answer.err()).contains("1 to 1024"));
        assertThat(outbox("migrate", "--help").out()).contains("For example", "global_lock", "--partitions");
        for (var command : List.of("init", "status", "requeue")) {
            assertThat(outbox(command, "--help").out()).contains("For example", "OUTBOX_PASSWORD");
        }
        assertThat(outbox(Map.of(), "mysql://x", "status").err()).contains("jdbc:mariadb:");
    }

    @Test
    void thePasswordComesFromTheEnvironmentOrAFileAndIsNeverShown() throws Exception {
        var h2 = "jdbc:h2:file:" + folder.resolve("db");
        var hunter2 = Map.of("OUTBOX_PASSWORD", "hunter2");
        assertThat(outbox(hunter2, h2, "init", "--user", "sa").code()).isZero();
        var file = Files.writeString(folder.resolve("password"), "hunter2\n");
        assertThat(outbox(Map.of(), h2, "status", "--user", "sa", "--password-file", file.toString())
                        .code())
                .isZero();
        var wrong = outbox(Map.of("OUTBOX_PASSWORD", "hunter3"), h2, "status", "--user", "sa");
        assertThat(wrong.code()).isEqualTo(1);
        assertThat(wrong.err().lines())
                .singleElement()
                .asString()
                .contains("cannot be reached")
                .doesNotContain("hunter");
        assertThat(outbox(Map.of(), h2, "status", "--password-file", "absent").err())
                .contains("absent", "cannot be read");
    }
}

package dev.sluice.server.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.coordinate.GroupControl;
import dev.sluice.jdbc.JdbcCoordinationStore;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.server.cli.SluiceRun;
import dev.sluice.server.outbox.RollOutWriters.Kind;
import dev.sluice.testkit.ledger.Expectation;
import dev.sluice.testkit.ledger.Finding;
import dev.sluice.testkit.ledger.Ledger;
import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import dev.sluice.testkit.servers.KafkaServer;
import dev.sluice.testkit.servers.PostgresServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * From an outbox with one global lock to partitions and back by the steps of {@code docs/outbox.md}, on the real PostgreSQL and
 * Kafka, while applications of both kinds write messages of the same keys and nodes of both kinds send side by side. Some
 * nodes of the old kind crash between sending and deleting. The long version: {@code
 * mvn verify -Psoak -pl server -am -Dtest=OutboxRollOutTest}.
 */
class OutboxRollOutTest {
    private static final int BACKLOG = 1_500;
    private static final int OLD_CRASHES = 2;
    private static final int TOPIC_PARTITIONS = 3;
    private static final String READER = "topic";
    private static final long SEED = Long.getLong("sluice.outbox.seed", System.nanoTime());

    @TempDir
    Path folder;

    private final String topic = "roll-out-" + UUID.randomUUID();
    private final String broker = KafkaServer.shared().url();
    private final Ledger ledger = new Ledger().expect(READER, Expectation.everyVersion());
    private final AtomicInteger doomed = new AtomicInteger();
    private final List<OldNode> oldNodes = new ArrayList<>();
    private final Random random = new Random(SEED);
    private String url;
    private HikariDataSource source;
    private JdbcCoordinationStore store;
    private GroupControl group;
    private RollOutWriters writers;

    @BeforeEach
    void oldOutbox() throws Exception {
        url = PostgresServer.shared().jdbcUrl(PostgresServer.shared().createDatabase());
        var config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(40);
        config.setMinimumIdle(0);
        source = new HikariDataSource(config);
        try (var script = OutboxSchema.class.getResourceAsStream("/dev/sluice/outbox/postgresql/V1__outbox.sql")) {
            sql(new String(script.readAllBytes(), StandardCharsets.UTF_8));
        }
        JdbcCoordinationStore.createTables(source);
        store = new JdbcCoordinationStore(source);
        group = new GroupControl(store, OutboxMigration.groupOf("outbox"));
        writers = new RollOutWriters(source, topic, ledger);
        try (var admin = Admin.create(Map.of("bootstrap.servers", broker))) {
            admin.createTopics(List.of(new NewTopic(topic, TOPIC_PARTITIONS, (short) 1)))
                    .all()
                    .get();
        }
    }

    @AfterEach
    void close() {
        writers.close();
        store.close();
        source.close();
    }

    @Test
    @Timeout(180)
    void forwardAndBackUnderLoadNothingIsLostAndEveryKeyStaysInOrder() throws Exception {
        try (var relays = new RelaysInThisProcess(source, broker)) {
            forward(relays, () -> {});
            back(relays, 6);
            judge(relays);
        }
    }

    /** And another number of partitions in between. Relays are killed at any moment, and so is the command. */
    @Test
    @Tag("soak")
    @Timeout(900)
    void theSameWhileRelaysAndTheCommandAreKilled() throws Exception {
        System.out.println("OutboxRollOutTest: seed " + SEED);
        try (var relays = new RelayProcesses(folder, url, broker, random, this::claimsOf)) {
            forward(relays, () -> killed("--partitions", "6"));
            toTwelve(relays);
            toFour(relays);
            back(relays, 4);
            judge(relays);
            System.out.println("OutboxRollOutTest: " + relays);
        }
    }

    private void forward(NewNodes relays, Interruption interruption) throws Exception {
        writers.backlog(BACKLOG);
        writers.start(Kind.OLD);
        startOldNodes();
        writers.awaitMore(50);
        interruption.happens();
        assertThat(migrate("--partitions", "6")).contains("one claim for all", "next:");
        assertThat(OutboxSchema.version(source)).isEqualTo(2);
        assertThat(migrate("--partitions", "6")).as("run once more").contains("one claim for all");
        phase("tables");

        writers.start(Kind.NEW);
        relays.roll(6, OldNode.LOCK);
        sideBySide(relays, 6);

        writers.stop(Kind.OLD);
        stopOldNodes();
        relays.stop();
        // Much without partition ids waits when claims are given out, and later messages of the same keys that have
        // them.
        writers.backlog(BACKLOG);
        writers.awaitMore(100);
        relays.roll(6, "");
        claims(6, "--partitions", "6", "--old-nodes-gone");
        writers.awaitMore(200);
        phase("forward");
    }

    private void toTwelve(NewNodes relays) throws Exception {
        writers.count(12);
        relays.roll(12, "");
        claims(12, "--partitions", "12");
        writers.awaitMore(500);
        phase("twelve");
    }

    private void toFour(NewNodes relays) throws Exception {
        claims(1, "--global-lock");
        writers.count(4);
        relays.roll(4, "");
        claims(4, "--partitions", "4");
        writers.awaitMore(500);
        phase("four");
    }

    private void back(NewNodes relays, int partitions) throws Exception {
        claims(1, "--global-lock");
        relays.roll(partitions, OldNode.LOCK);
        writers.start(Kind.OLD);
        startOldNodes();
        sideBySide(relays, partitions);

        writers.stop(Kind.NEW);
        relays.stop();
        await("no relay counts as alive", () -> group.members().isEmpty());
        assertThat(migrate("--back")).contains("tables of a global lock");
        assertThat(OutboxSchema.version(source)).isEqualTo(1);
        writers.awaitMore(100);
        writers.stop(Kind.OLD);
        await("everything is sent", () -> rows("SELECT COUNT(*) FROM outbox_events") == 0);
        stopOldNodes();
        phase("back");
    }

    /** Nodes of both kinds send in turns: the new ones hold the lock until they stop, the old ones take it at every tick. */
    private void sideBySide(NewNodes relays, int partitions) throws Exception {
        await("a new node sends", () -> holder().contains("new-"));
        phase("until a new node sends beside old ones");
        writers.awaitMore(200);
        relays.stop();
        doomed.set(OLD_CRASHES / 2);
        await("old nodes send again", () -> !holder().contains("new-") && doomed.get() == 0);
        writers.awaitMore(200);
        relays.roll(partitions, OldNode.LOCK);
        await("a new node sends again", () -> holder().contains("new-"));
        writers.awaitMore(200);
        phase("side by side");
    }

    private interface Interruption {
        void happens() throws Exception;
    }

    /** A command that is killed somewhere on its way. */
    private void killed(String... arguments) throws InterruptedException {
        try (var command = ChildProcess.start(ProcessSpec.sluice("migrate", command(arguments)))) {
            command.awaitLine("claims: one for all", Duration.ofSeconds(60));
            TimeUnit.MILLISECONDS.sleep(random.nextInt(0, 500));
            System.out.println("OutboxRollOutTest: the command is killed, " + (command.isAlive() ? "at work" : "done"));
        }
    }

    private String[] command(String... arguments) {
        var all = new ArrayList<>(List.of("outbox", "migrate", "--jdbc-url", url));
        all.addAll(List.of(arguments));
        return all.toArray(String[]::new);
    }

    private String migrate(String... arguments) {
        return SluiceRun.of(command(arguments));
    }

    private void claims(int count, String... arguments) throws Exception {
        assertThat(migrate(arguments)).contains(count == 1 ? "one claim for all" : count + " claims");
        await(
                count + " claims are owned",
                () -> group.look()
                        .filter(view -> view.partitions() == count
                                && !view.changing()
                                && view.owners().size() == count)
                        .isPresent());
    }

    private long claimsOf(String node) {
        return group.look().stream()
                .flatMap(view -> view.owners().values().stream())
                .filter(node::equals)
                .count();
    }

    private void startOldNodes() {
        oldNodes.add(new OldNode(source, broker, doomed));
        oldNodes.add(new OldNode(source, broker, doomed));
    }

    private void stopOldNodes() {
        oldNodes.forEach(OldNode::close);
        oldNodes.clear();
    }

    /** Who has the lock of the old nodes now; empty when nobody. */
    private String holder() throws SQLException {
        try (var connection = source.getConnection();
                var statement = connection.createStatement();
                var row = statement.executeQuery("SELECT locked_by FROM shedlock WHERE name = '" + OldNode.LOCK
                        + "' AND lock_until > timezone('utc', clock_timestamp())")) {
            return row.next() ? row.getString(1) : "";
        }
    }

    private long rows(String count) throws SQLException {
        try (var connection = source.getConnection();
                var statement = connection.createStatement();
                var row = statement.executeQuery(count)) {
            row.next();
            return row.getLong(1);
        }
    }

    private void sql(String text) throws SQLException {
        try (var connection = source.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(text);
        }
    }

    private static void await(String what, Callable<Boolean> reached) throws Exception {
        var end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!reached.call()) {
            assertThat(System.nanoTime() - end).as(what + " within 60 s").isNegative();
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private long phaseStart = System.nanoTime();

    private void phase(String name) throws SQLException {
        var now = System.nanoTime();
        System.out.printf(
                "OutboxRollOutTest: %s took %.1f s, %d rows wait%n",
                name, (now - phaseStart) / 1e9, rows("SELECT COUNT(*) FROM outbox_events"));
        phaseStart = now;
    }

    private void judge(NewNodes relays) {
        var byOld = 0;
        var byNew = 0;
        for (var record : published()) {
            if (record.byNewNode()) {
                byNew++;
            } else {
                byOld++;
            }
            var message = record.text().split(":");
            ledger.arrived(READER, message[0], Integer.parseInt(message[1]), "", false);
        }
        var report = ledger.report();
        var bound = OLD_CRASHES * OldNode.BATCH + relays.repeatsAtMost();
        System.out.printf(
                "OutboxRollOutTest: owed %d, arrived %d, lost %d, reordered %d, duplicated %d of at most %d; sent by old nodes %d, by"
                        + " new ones %d%n",
                report.of(READER).owed(),
                report.of(READER).arrived(),
                report.count(Finding.LOST),
                report.count(Finding.REORDERED),
                report.count(Finding.DUPLICATE),
                bound,
                byOld,
                byNew);
        report.assertClean();
        assertThat(report.count(Finding.DUPLICATE))
                .as("what was under way when a node died")
                .isLessThanOrEqualTo(bound);
        assertThat(byOld).isPositive();
        assertThat(byNew).isPositive();
    }

    private record Published(String text, boolean byNewNode) {}

    private List<Published> published() {
        var all = IntStream.range(0, TOPIC_PARTITIONS)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
        var read = new ArrayList<Published>();
        try (var consumer = new KafkaConsumer<>(
                Map.<String, Object>of("bootstrap.servers", broker),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(all);
            consumer.seekToBeginning(all);
            var ends = consumer.endOffsets(all);
            while (all.stream().anyMatch(one -> consumer.position(one) < ends.get(one))) {
                consumer.poll(Duration.ofMillis(200))
                        .forEach(record -> read.add(new Published(
                                new String(record.value(), StandardCharsets.UTF_8),
                                record.headers().lastHeader("outbox-id") != null)));
            }
        }
        return read;
    }
}

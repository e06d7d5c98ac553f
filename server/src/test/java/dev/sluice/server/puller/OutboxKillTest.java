package dev.sluice.server.puller;

import static dev.sluice.server.puller.PullerSetup.SOON;
import static dev.sluice.server.puller.PullerSetup.await;
import static dev.sluice.server.puller.PullerSetup.freePort;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.client.ConsumerOptions;
import dev.sluice.client.EventConsumer;
import dev.sluice.grpc.puller.v1.Event;
import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxMessage;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import dev.sluice.testkit.servers.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * {@code kill -9} of a Puller that reads an outbox in PostgreSQL under load: once between the log's commit and the delete, then
 * at random instants. More rounds by {@code -Dsluice.crash.rounds}.
 */
@Tag("crash")
@Timeout(300)
class OutboxKillTest {
    private static final int ROUNDS = Integer.getInteger("sluice.crash.rounds", 3);
    private static final long SEED = Long.getLong("sluice.crash.seed", System.nanoTime());
    private static final int WRITERS = 3;

    @TempDir
    Path folder;

    private final Outbox outbox = Outbox.builder().build();
    private final Queue<Event> log = new ConcurrentLinkedQueue<>();
    private final AtomicInteger committed = new AtomicInteger();
    private volatile boolean writing = true;

    @Test
    void nothingIsLostOrTwiceInTheLogAndEachKeyIsInOrder() throws Exception {
        System.out.println("OutboxKillTest: seed " + SEED + ", rounds " + ROUNDS);
        var random = new SplittableRandom(SEED);
        var url = database();
        var grpc = freePort();
        var config = folder.resolve("sluice.yaml");
        Files.writeString(config, """
                storage: {backends: [{name: shop, type: outbox, connection: '%s'}]}
                puller:
                  grpc: {address: ':%d'}
                  health: {port: 0}
                  metrics: {port: 0}
                  backends: [{name: shop}]
                  buffer: {path: '%s', min_free: 1MiB}
                cluster: {lease_ttl: 2s}
                """.formatted(url, grpc, folder.resolve("data")));
        var writers = new ArrayList<Thread>();
        try (var puller = ChildProcess.start(ProcessSpec.sluice("killed", "run", "--config", config.toString())
                .withJvmOptions("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"))) {
            for (var k = 0; k < WRITERS; k++) {
                var writer = k;
                writers.add(Thread.ofVirtual().start(() -> write(url, writer)));
            }
            killBetweenCommitAndDelete(url, puller);
            for (var round = 1; round < ROUNDS; round++) {
                puller.awaitLine("capture started|connection recovered", SOON);
                if (round % 2 == 0) {
                    await("it has caught up", () -> rows(url) < 100);
                }
                Thread.sleep(random.nextInt(20, 500));
                puller.kill9();
                puller.restart();
            }
            await("it has caught up", () -> rows(url) < 100);
            Thread.sleep(500);
            writing = false;
            for (var writer : writers) {
                writer.join();
            }
            try (var consumer = EventConsumer.options()
                    .address("127.0.0.1:" + grpc)
                    .json()
                    .start(ConsumerOptions.Start.OLDEST)
                    .backoff(Duration.ofMillis(20), Duration.ofMillis(200))
                    .start(log::add)) {
                await("the table is empty", () -> rows(url) == 0);
                await("everything came", () -> log.size() >= committed.get());
                assertThat(consumer.marker()).isNotEmpty();
            }
        } finally {
            writing = false;
        }
        System.out.println("OutboxKillTest: " + committed + " messages, killed " + ROUNDS + " times");
        verify();
    }

    private static String database() {
        var server = PostgresServer.shared();
        var url = server.jdbcUrl(server.createDatabase());
        var source = new PGSimpleDataSource();
        source.setUrl(url);
        OutboxSchema.create(source);
        return url;
    }

    /** Whoever deletes rows locks the row of their owner first: held here, the delete waits, and the log has its batch. */
    private void killBetweenCommitAndDelete(String url, ChildProcess puller) throws Exception {
        puller.awaitLine("capture started|connection recovered", SOON);
        try (var holding = begin(url);
                var statement = holding.createStatement()) {
            await("the reader has its row", () -> lock(statement));
            await("a delete waits", () -> waiting(url) > 0);
            puller.kill9();
        }
        puller.restart();
    }

    private static boolean lock(java.sql.Statement statement) {
        try (var found = statement.executeQuery("SELECT 1 FROM outbox_partitions WHERE partition_id = -1 FOR UPDATE")) {
            return found.next();
        } catch (SQLException failed) {
            throw new AssertionError(failed);
        }
    }

    private static long waiting(String url) {
        return ask(
                url,
                "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
                        + " AND query LIKE '%DELETE FROM outbox_events%'");
    }

    private static long rows(String url) {
        return ask(url, "SELECT COUNT(*) FROM outbox_events");
    }

    private static long ask(String url, String sql) {
        try (var connection = DriverManager.getConnection(url);
                var statement = connection.createStatement();
                var answer = statement.executeQuery(sql)) {
            answer.next();
            return answer.getLong(1);
        } catch (SQLException failed) {
            throw new AssertionError(failed);
        }
    }

    private static Connection begin(String url) throws SQLException {
        var connection = DriverManager.getConnection(url);
        connection.setAutoCommit(false);
        return connection;
    }

    /** Each writer has keys of its own; now and then it commits late, so that ids appear behind later ones. */
    private void write(String url, int writer) {
        var random = new SplittableRandom(SEED + writer);
        try (var connection = begin(url)) {
            for (var version = 0; writing; version++) {
                outbox.append(
                        connection,
                        OutboxMessage.to("orders")
                                .key(writer + "-" + version % 5)
                                .json("{\"v\": " + version + "}")
                                .build());
                Thread.sleep(random.nextInt(4) == 0 ? random.nextInt(1, 20) : 0);
                connection.commit();
                Thread.sleep(3);
                committed.incrementAndGet();
            }
        } catch (SQLException | InterruptedException failed) {
            throw new AssertionError(failed);
        }
    }

    private void verify() {
        var ids = new HashSet<String>();
        var messages = new HashSet<Long>();
        Map<String, Integer> last = new HashMap<>();
        var late = 0;
        long highest = 0;
        for (var event : List.copyOf(log)) {
            var document = BsonDocument.parse(event.getFullDocument().toStringUtf8());
            var row = document.getNumber("id").longValue();
            assertThat(ids.add(event.getId()))
                    .as("event id %s once", event.getId())
                    .isTrue();
            assertThat(messages.add(row)).as("row %d once", row).isTrue();
            var version = document.getDocument("payload").getInt32("v").getValue();
            var before = last.put(event.getDocumentId(), version);
            assertThat(before == null ? version % 5 : before + 5)
                    .as("key %s goes on after %s", event.getDocumentId(), before)
                    .isEqualTo(version);
            late += row < highest ? 1 : 0;
            highest = Math.max(highest, row);
        }
        System.out.println("OutboxKillTest: " + late + " of them were committed late");
        assertThat(messages).hasSize(committed.get());
        assertThat(late).as("the test met late commits").isPositive();
    }
}

package dev.sluice.server.outbox;

import com.zaxxer.hikari.HikariDataSource;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A node as it was before there were partitions: on every tick whoever gets the one ShedLock lock takes the first rows in the order
 * of their ids, sends one after the other, deletes them, and gives the lock back. It knows neither partition ids nor claims.
 */
final class OldNode implements AutoCloseable {
    static final String LOCK = "outbox.task.publish";
    static final int BATCH = 50;
    private static final Duration TICK = Duration.ofMillis(100);
    private static final Duration AT_MOST = Duration.ofSeconds(20);
    /** A node that is about to crash, whose lock others wait for. */
    private static final Duration AT_MOST_OF_THE_DOOMED = Duration.ofSeconds(1);

    private record Row(long id, String topic, byte[] key, byte[] payload) {}

    private final HikariDataSource source;
    private final LockProvider locks;
    private final KafkaProducer<byte[], byte[]> kafka;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final AtomicInteger doomed;
    private volatile boolean stopped;

    /** @param doomed so many of the batches that nodes send from now on end by a crash, before the rows are deleted */
    OldNode(HikariDataSource source, String broker, AtomicInteger doomed) {
        this.source = source;
        this.doomed = doomed;
        this.locks = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(source))
                .usingDbTime()
                .build());
        this.kafka = new KafkaProducer<>(
                Map.of("bootstrap.servers", broker, "linger.ms", "0"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        Thread.ofVirtual().start(this::run);
    }

    private void run() {
        try {
            while (!stopped) {
                tick();
                TimeUnit.NANOSECONDS.sleep(TICK.toNanos());
            }
            ended.complete(null);
        } catch (SQLException | ExecutionException | InterruptedException | RuntimeException failed) {
            ended.completeExceptionally(failed);
        }
    }

    private void tick() throws SQLException, ExecutionException, InterruptedException {
        var crashes = doomed.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
        var lock = locks.lock(
                new LockConfiguration(Instant.now(), LOCK, crashes ? AT_MOST_OF_THE_DOOMED : AT_MOST, Duration.ZERO));
        if (lock.isEmpty() && crashes) {
            doomed.incrementAndGet();
        }
        if (lock.isPresent()) {
            publish(lock.get(), crashes);
        }
    }

    private void publish(SimpleLock lock, boolean crashes)
            throws SQLException, ExecutionException, InterruptedException {
        try (var connection = source.getConnection()) {
            connection.setAutoCommit(false);
            var rows = first(connection);
            for (var row : rows) {
                kafka.send(new ProducerRecord<>(row.topic(), row.key(), row.payload()))
                        .get();
            }
            if (crashes) {
                connection.rollback();
                return;
            }
            delete(connection, rows);
            connection.commit();
        }
        lock.unlock();
    }

    private static List<Row> first(Connection connection) throws SQLException {
        var rows = new ArrayList<Row>();
        try (var select = connection.prepareStatement("SELECT id, topic, message_key, payload FROM outbox_events"
                        + " WHERE status = 0 ORDER BY id LIMIT " + BATCH + " FOR UPDATE");
                var found = select.executeQuery()) {
            while (found.next()) {
                rows.add(new Row(
                        found.getLong(1),
                        found.getString(2),
                        found.getString(3).getBytes(StandardCharsets.UTF_8),
                        found.getBytes(4)));
            }
        }
        return rows;
    }

    private static void delete(Connection connection, List<Row> rows) throws SQLException {
        try (var delete = connection.prepareStatement("DELETE FROM outbox_events WHERE id = ?")) {
            for (var row : rows) {
                delete.setLong(1, row.id());
                delete.addBatch();
            }
            delete.executeBatch();
        }
    }

    /** Ends after what is under way; fails when it ever failed. */
    @Override
    public void close() {
        stopped = true;
        try {
            ended.join();
        } finally {
            kafka.close();
        }
    }
}

package dev.sluice.server.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxMessage;
import dev.sluice.testkit.ledger.Ledger;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/**
 * Applications of both kinds that write messages of the same keys, in turns per key, as those do that lock the aggregate: so the
 * order of a key's ids is that of its commits, whoever wrote. Some commit slowly. The ledger knows what was committed.
 */
final class RollOutWriters implements AutoCloseable {
    private static final int KEYS = 40;

    /** What they know. */
    enum Kind {
        /** Never heard of partitions. */
        OLD,
        NEW
    }

    private final HikariDataSource source;
    private final String topic;
    private final Ledger ledger;
    private final ReentrantLock[] aggregates =
            IntStream.range(0, KEYS).mapToObj(key -> new ReentrantLock()).toArray(ReentrantLock[]::new);
    private final int[] versions = new int[KEYS];
    private final AtomicInteger committed = new AtomicInteger();
    private final Map<Kind, CompletableFuture<Void>> running = new EnumMap<>(Kind.class);
    private final Map<Kind, Boolean> wanted = new ConcurrentHashMap<>();
    private volatile Outbox outbox = Outbox.builder().build();

    RollOutWriters(HikariDataSource source, String topic, Ledger ledger) {
        this.source = source;
        this.topic = topic;
        this.ledger = ledger;
    }

    /** As if those of the new kind were restarted with another number. */
    void count(int partitions) {
        outbox = Outbox.builder().partitions(partitions).build();
    }

    void start(Kind kind) {
        var ended = new CompletableFuture<Void>();
        running.put(kind, ended);
        wanted.put(kind, true);
        Thread.ofVirtual().start(() -> {
            var random = new SplittableRandom();
            try {
                while (wanted.get(kind)) {
                    write(
                            kind,
                            IntStream.generate(() -> random.nextInt(KEYS))
                                    .limit(random.nextInt(1, 6))
                                    .toArray(),
                            random.nextInt(20) == 0 ? 100 : 0);
                    TimeUnit.MILLISECONDS.sleep(random.nextInt(5, 25));
                }
                ended.complete(null);
            } catch (SQLException | InterruptedException | RuntimeException failed) {
                ended.completeExceptionally(failed);
            }
        });
    }

    /** What waits when it all begins. */
    void backlog(int messages) throws SQLException, InterruptedException {
        write(
                Kind.OLD,
                IntStream.range(0, messages).map(number -> number % KEYS).toArray(),
                0);
    }

    private record Message(String key, int version) {}

    private void write(Kind kind, int[] keys, int slowly) throws SQLException, InterruptedException {
        var locked = IntStream.of(keys).distinct().sorted().toArray();
        IntStream.of(locked).forEach(key -> aggregates[key].lock());
        try (var connection = source.getConnection()) {
            connection.setAutoCommit(false);
            var messages = new ArrayList<Message>();
            for (var key : keys) {
                messages.add(new Message("k" + key, ++versions[key]));
            }
            insert(kind, connection, messages);
            TimeUnit.MILLISECONDS.sleep(slowly);
            messages.forEach(message -> ledger.attempted(message.key(), message.version()));
            connection.commit();
            messages.forEach(message -> ledger.written(message.key(), message.version()));
            committed.addAndGet(messages.size());
        } finally {
            IntStream.of(locked).forEach(key -> aggregates[key].unlock());
        }
    }

    private void insert(Kind kind, Connection connection, List<Message> messages) throws SQLException {
        switch (kind) {
            case OLD -> {
                try (var insert = connection.prepareStatement(
                        "INSERT INTO outbox_events (topic, message_key, type, payload) VALUES (?, ?, 'old', ?)")) {
                    for (var message : messages) {
                        insert.setString(1, topic);
                        insert.setString(2, message.key());
                        insert.setBytes(3, payload(message).getBytes(StandardCharsets.UTF_8));
                        insert.addBatch();
                    }
                    insert.executeBatch();
                }
            }
            case NEW ->
                outbox.append(
                        connection,
                        messages.stream()
                                .map(message -> OutboxMessage.to(topic)
                                        .key(message.key())
                                        .payload(payload(message).getBytes(StandardCharsets.UTF_8))
                                        .build())
                                .toList());
        }
    }

    private static String payload(Message message) {
        return message.key() + ':' + message.version();
    }

    /** Until so many more have been committed; fails when a writer failed. */
    void awaitMore(int messages) throws InterruptedException {
        var goal = committed.get() + messages;
        while (committed.get() < goal) {
            running.values().stream().filter(CompletableFuture::isDone).forEach(CompletableFuture::join);
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    /** Fails when it ever failed. */
    void stop(Kind kind) {
        wanted.put(kind, false);
        assertThat(running).containsKey(kind);
        running.remove(kind).join();
    }

    @Override
    public void close() {
        wanted.replaceAll((kind, wants) -> false);
    }
}

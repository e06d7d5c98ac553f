package dev.sluice.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxMessage;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An application that writes messages at a steady rate, ten per transaction, and a consumer that knows when each was
 * committed. One key is written by one thread only, so that ids of a key are in the order of its numbers.
 */
final class OutboxFeed {
    static final int PER_TRANSACTION = 10;

    private static final int WRITERS = 16;
    private static final int MISSING = -1;

    private final String jdbc;
    private final OutboxTopic topic;
    private final int rate;
    private final int total;
    /** When each number was committed, in milliseconds since the start. */
    private final AtomicIntegerArray committed;

    private final AtomicInteger written = new AtomicInteger();
    private final AtomicInteger received = new AtomicInteger();
    private final AtomicLong inversions = new AtomicLong();
    private final long start = System.currentTimeMillis();
    private final LatencyHistogram latencies;
    private volatile @Nullable Throwable failure;
    private volatile boolean ended;
    private final List<Thread> threads = new ArrayList<>();
    private @Nullable HikariDataSource source;
    private @Nullable Outbox outbox;

    OutboxFeed(String jdbc, OutboxTopic topic, int rate, int seconds, int warmUpSeconds) {
        this.jdbc = jdbc;
        this.topic = topic;
        this.rate = rate;
        this.total = rate * seconds;
        this.committed = new AtomicIntegerArray(total);
        for (int k = 0; k < total; k++) {
            committed.set(k, MISSING);
        }
        this.latencies = new LatencyHistogram(System.currentTimeMillis() + warmUpSeconds * 1000L);
    }

    int total() {
        return total;
    }

    int written() {
        return written.get();
    }

    int received() {
        return received.get();
    }

    long inversions() {
        return inversions.get();
    }

    /** From the commit to the consumer's hands. */
    LatencyHistogram latencies() {
        return latencies;
    }

    /** Starts writing and reading; both end by themselves when everything is through. */
    void start() {
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(jdbc);
        pool.setMaximumPoolSize(WRITERS + 1);
        HikariDataSource connections = new HikariDataSource(pool);
        source = connections;
        Outbox writing = Outbox.builder()
                .partitions(SluiceOutbox.PARTITIONS)
                .notifyThrough(connections)
                .build();
        outbox = writing;
        KafkaConsumer<String, byte[]> consumer = topic.follow();
        threads.add(Thread.ofPlatform().name("consumer").start(() -> read(consumer)));
        long began = System.nanoTime();
        for (int k = 0; k < WRITERS; k++) {
            int writer = k;
            threads.add(
                    Thread.ofPlatform().name("writer-" + k).start(() -> write(connections, writing, writer, began)));
        }
    }

    private void write(HikariDataSource from, Outbox into, int writer, long began) {
        List<Integer> numbers = new ArrayList<>();
        try {
            for (int number = 0; number < total && !ended; number++) {
                if (Math.floorMod(OutboxLoad.key(number).hashCode(), WRITERS) == writer) {
                    numbers.add(number);
                    if (numbers.size() == PER_TRANSACTION) {
                        awaitDue(number, began);
                        write(from, into, numbers);
                    }
                }
            }
            write(from, into, numbers);
        } catch (SQLException e) {
            failure = e;
        }
    }

    private void awaitDue(int number, long began) {
        long due = began + (long) (number * 1e9 / rate);
        long left = due - System.nanoTime();
        while (left > 0) {
            LockSupport.parkNanos(left);
            left = due - System.nanoTime();
        }
    }

    private void write(HikariDataSource from, Outbox into, List<Integer> numbers) throws SQLException {
        List<OutboxMessage> messages = new ArrayList<>();
        for (int number : numbers) {
            messages.add(SluiceOutbox.message(topic.name(), number));
        }
        try (Connection connection = from.getConnection()) {
            connection.setAutoCommit(false);
            into.append(connection, messages);
            connection.commit();
        }
        int now = (int) (System.currentTimeMillis() - start);
        numbers.forEach(number -> committed.set(number, now));
        into.committed();
        written.addAndGet(numbers.size());
        numbers.clear();
    }

    private void read(KafkaConsumer<String, byte[]> consumer) {
        int[] last = new int[OutboxLoad.KEYS];
        try (consumer) {
            while (received.get() < total && !ended) {
                for (ConsumerRecord<String, byte[]> found : consumer.poll(Duration.ofMillis(100))) {
                    int number = (int) OutboxLoad.number(found.value());
                    int key = Integer.parseInt(found.key().substring("key-".length()));
                    if (last[key] > number) {
                        inversions.incrementAndGet();
                    }
                    last[key] = number;
                    int at = committed.get(number);
                    // Faster than the writer's own clock: it came before commit() had returned.
                    latencies.add(at == MISSING ? System.currentTimeMillis() : start + at);
                    received.incrementAndGet();
                }
            }
        }
    }

    /** Ends what has not ended by itself. */
    void end() throws InterruptedException {
        ended = true;
        for (Thread thread : threads) {
            thread.join();
        }
        if (outbox != null) {
            outbox.close();
        }
        if (source != null) {
            source.close();
        }
    }

    void requireHealthy() {
        if (failure != null) {
            throw new IllegalStateException("the application of the benchmark ended", failure);
        }
    }
}

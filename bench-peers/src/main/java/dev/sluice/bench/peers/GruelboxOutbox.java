package dev.sluice.bench.peers;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import com.gruelbox.transactionoutbox.TransactionOutboxEntry;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.bench.OutboxLoad;
import dev.sluice.bench.OutboxSettings;
import dev.sluice.bench.OutboxUnderTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * gruelbox transaction-outbox. The version on Maven Central promises no order; a lane per hash of the key and one flush after
 * the other is as near as its users can come. Settings: {@code batch} (rows per flush), {@code threads} (lanes).
 */
public final class GruelboxOutbox implements OutboxUnderTest {
    private static final int PER_TRANSACTION = 1_000;
    /** When what was just written is due: it refuses what is due at once. */
    private static final Duration SOON = Duration.ofSeconds(1);

    private final OutboxSettings settings;
    private final AtomicLong sent = new AtomicLong();
    private final List<ThreadPoolExecutor> lanes = new ArrayList<>();
    private final HikariDataSource source;
    private final TransactionManager transactions;
    private volatile boolean running;
    private @Nullable Thread flusher;
    private @Nullable KafkaProducer<String, String> producer;

    public GruelboxOutbox(OutboxSettings settings) {
        this.settings = settings;
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(settings.jdbc());
        pool.setMaximumPoolSize(settings.number("threads") + 4);
        this.source = new HikariDataSource(pool);
        this.transactions = TransactionManager.fromDataSource(source);
    }

    /** What is called when a message's turn has come; an interface, so that the JDK makes the proxy. */
    public interface Sender {
        void send(String key, String payload);
    }

    private void send(String key, String payload) {
        try {
            Objects.requireNonNull(producer)
                    .send(new ProducerRecord<>(settings.topic(), key, payload))
                    .get();
            sent.incrementAndGet();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private TransactionOutbox outbox(Duration attempts, Submitter submitter) {
        Sender sender = this::send;
        return TransactionOutbox.builder()
                .transactionManager(transactions)
                .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                .instantiator(Instantiator.using(type -> sender))
                .submitter(submitter)
                .attemptFrequency(attempts)
                .flushBatchSize(settings.number("batch"))
                .serializeMdc(false)
                .build();
    }

    @Override
    public void createTables() {
        outbox(SOON, (entry, now) -> {}).initialize();
    }

    /** Nothing is sent after a commit: the relay finds it later, as after a restart. */
    @Override
    public void write(int count) {
        TransactionOutbox outbox = outbox(SOON, (entry, now) -> {});
        for (int from = 0; from < count; from += PER_TRANSACTION) {
            int first = from;
            int end = Math.min(count, from + PER_TRANSACTION);
            transactions.inTransaction(() -> {
                for (int number = first; number < end; number++) {
                    outbox.schedule(Sender.class).send(OutboxLoad.key(number), OutboxLoad.payload(number));
                }
            });
        }
    }

    @Override
    public String table() {
        return "txno_outbox";
    }

    @Override
    public String order() {
        return "nextattempttime";
    }

    @Override
    public void start() {
        sent.set(0);
        running = true;
        producer = new KafkaProducer<>(settings.producer(0), new StringSerializer(), new StringSerializer());
        for (int k = 0; k < settings.number("threads"); k++) {
            lanes.add(new ThreadPoolExecutor(
                    1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(settings.number("batch"))));
        }
        // Longer than a round: a row under way must not be taken again.
        TransactionOutbox outbox = outbox(Duration.ofMinutes(10), (entry, now) -> lane(entry, () -> now.accept(entry)));
        flusher = Thread.ofPlatform().name("flush").start(() -> flush(outbox));
    }

    /** Waits where the lane is full, by hand: an executor would refuse, and the row would wait for its next attempt. */
    private void lane(TransactionOutboxEntry entry, Runnable task) {
        Object key = entry.getInvocation().getArgs()[0];
        ThreadPoolExecutor lane = lanes.get(Math.floorMod(key.hashCode(), lanes.size()));
        lane.prestartCoreThread();
        try {
            lane.getQueue().put(task);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void flush(TransactionOutbox outbox) {
        while (running) {
            if (!outbox.flush()) {
                try {
                    Thread.sleep(5);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }

    @Override
    public long sent() {
        return sent.get();
    }

    @Override
    public void stop() throws InterruptedException {
        running = false;
        Objects.requireNonNull(flusher).join();
        for (ThreadPoolExecutor lane : lanes) {
            lane.shutdown();
            lane.awaitTermination(30, TimeUnit.SECONDS);
        }
        lanes.clear();
        Objects.requireNonNull(producer).close();
    }
}

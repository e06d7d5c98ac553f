package dev.sluice.server.demo;

import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxMessage;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.server.config.DatasourceConfig;
import dev.sluice.server.config.yaml.ConnectionString;
import dev.sluice.server.outbox.OutboxDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The shop's till, in a SQL database of its own: what is paid is a row there and a message in the outbox, in one transaction,
 * both or neither. Every tenth customer has no money: nothing is written, nothing is told.
 */
final class Till implements AutoCloseable {
    static final String TOPIC = "payments";
    private static final int CONNECTIONS = 2;
    private static final int NO_MONEY = 10;

    private final OutboxDatabase database;
    private final Outbox outbox = Outbox.builder().build();
    private final SplittableRandom random = new SplittableRandom();
    private final AtomicLong written = new AtomicLong();
    private final CountDownLatch stop = new CountDownLatch(1);
    private final Thread thread;
    private long next = System.currentTimeMillis() / 1000 % 1_000_000 * 1000;

    /** Makes the tables that are not there yet; nobody pays before {@link #open}. */
    Till(String url, int paymentsPerSecond) {
        this.database = OutboxDatabase.open(
                new DatasourceConfig(Optional.of(new ConnectionString(url)), Optional.empty(), Optional.empty()),
                CONNECTIONS);
        OutboxSchema.create(database.source());
        createPayments();
        var pause = Duration.ofSeconds(1).dividedBy(paymentsPerSecond);
        this.thread = Thread.ofVirtual().name("till").unstarted(() -> run(pause));
    }

    /** @param paid called after each commit, so that whoever reads the outbox in this process need not wait for its next look */
    void open(Runnable paid) {
        outbox.onCommitted(paid);
        thread.start();
    }

    private void createPayments() {
        try (var connection = database.source().getConnection();
                var create = connection.createStatement()) {
            create.execute("CREATE TABLE IF NOT EXISTS payments (id VARCHAR(64) PRIMARY KEY, cents INT NOT NULL)");
        } catch (SQLException failed) {
            database.close();
            throw new IllegalStateException(
                    "the demo's outbox cannot be used; start with --fresh: " + failed.getMessage(), failed);
        }
    }

    private void run(Duration pause) {
        try {
            do {
                pay();
            } while (!stop.await(pause.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (SQLException gone) {
            // the database is closed before us only when everything ends
        }
    }

    private void pay() throws SQLException {
        var id = "payment-" + next++;
        var cents = 100 + random.nextInt(5_000);
        try (var connection = database.source().getConnection()) {
            connection.setAutoCommit(false);
            book(connection, id, cents);
            outbox.append(
                    connection,
                    OutboxMessage.to(TOPIC)
                            .key(id)
                            .type("Paid")
                            .json("{\"cents\": " + cents + "}")
                            .build());
            if (random.nextInt(NO_MONEY) == 0) {
                connection.rollback();
            } else {
                connection.commit();
                written.incrementAndGet();
                outbox.committed();
            }
        }
    }

    private static void book(Connection connection, String id, int cents) throws SQLException {
        try (var insert = connection.prepareStatement("INSERT INTO payments (id, cents) VALUES (?, ?)")) {
            insert.setString(1, id);
            insert.setInt(2, cents);
            insert.executeUpdate();
        }
    }

    long written() {
        return written.get();
    }

    @Override
    public void close() {
        stop.countDown();
        try {
            if (thread.isAlive()) {
                thread.join(Duration.ofSeconds(5));
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        database.close();
    }
}

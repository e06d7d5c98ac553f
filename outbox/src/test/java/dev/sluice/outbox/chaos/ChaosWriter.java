package dev.sluice.outbox.chaos;

import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxMessage;
import dev.sluice.testkit.ledger.Ledger;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * An application's thread: writes messages of its own keys, each numbered by its version, and tells the ledger what it
 * committed. Some transactions are slow, so that their ids are seen after higher ones of other writers; some are rolled
 * back; of those that the database took down with it nobody knows.
 */
final class ChaosWriter implements Runnable {
    private static final int KEYS = 25;

    private final DataSource source;
    private final String topic;
    private final Ledger ledger;
    private final int number;
    private final Random random;
    private final Outbox outbox =
            Outbox.builder().partitions(ChaosRelay.PARTITIONS).build();
    private final int[] versions = new int[KEYS];
    private volatile boolean stopped;

    ChaosWriter(DataSource source, String topic, Ledger ledger, int number, long seed) {
        this.source = source;
        this.topic = topic;
        this.ledger = ledger;
        this.number = number;
        this.random = new Random(seed + number);
    }

    private record Written(String key, int version) {}

    @Override
    public void run() {
        try {
            while (!stopped) {
                write();
                TimeUnit.MILLISECONDS.sleep(random.nextInt(5, 30));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write() throws InterruptedException {
        List<Written> transaction = new ArrayList<>();
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            int size = random.nextInt(1, 12);
            List<OutboxMessage> messages = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                int key = random.nextInt(KEYS);
                Written row = new Written("w" + number + "-k" + key, ++versions[key]);
                transaction.add(row);
                messages.add(OutboxMessage.to(topic)
                        .key(row.key())
                        .json(row.key() + ':' + row.version())
                        .build());
            }
            outbox.append(connection, messages);
            if (random.nextInt(10) < 2) {
                TimeUnit.MILLISECONDS.sleep(random.nextInt(50, 400));
            }
            if (random.nextInt(20) == 0) {
                connection.rollback();
            } else {
                transaction.forEach(row -> ledger.attempted(row.key(), row.version()));
                connection.commit();
                // H2 that is being stopped rolls a session back and may still answer its commit: then nobody knows.
                if (connection.isValid(5)) {
                    transaction.forEach(row -> ledger.written(row.key(), row.version()));
                }
            }
            connection.setAutoCommit(true);
        } catch (SQLException away) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    void stop() {
        stopped = true;
    }
}

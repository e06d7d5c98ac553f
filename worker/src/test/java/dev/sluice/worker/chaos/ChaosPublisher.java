package dev.sluice.worker.chaos;

import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStreamApiException;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.PublishOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Publishes numbered messages to every partition: first a backlog at full speed, then a tail at a steady rate. A message
 * without an acknowledgement is published again under the same message id until the stream has it, so numbers follow each
 * other in the stream without a gap.
 */
final class ChaosPublisher implements AutoCloseable {
    private static final int THREADS = 4;
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final Connection connection;
    private final HandlingLedger ledger;
    private final long[] next;
    private final List<Thread> tail = new ArrayList<>();
    private volatile boolean stopped;

    ChaosPublisher(String urls, HandlingLedger ledger, int partitions) throws Exception {
        this.connection = Nats.connect(Options.builder()
                .servers(urls.split(","))
                .maxReconnects(-1)
                .reconnectWait(Duration.ofMillis(200))
                .errorListener(new ErrorListener() {})
                .build());
        this.ledger = ledger;
        this.next = new long[partitions];
    }

    /** So many messages for each partition. */
    void backlog(int messages) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int k = 0; k < THREADS; k++) {
            int first = k;
            threads.add(Thread.ofVirtual().name("backlog-" + k).start(() -> {
                for (int message = 0; message < messages; message++) {
                    publishToEach(first);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Goes on publishing, until {@link #stop}. */
    void startTail() {
        for (int k = 0; k < THREADS; k++) {
            int first = k;
            tail.add(Thread.ofVirtual().name("tail-" + k).start(() -> {
                while (!stopped) {
                    publishToEach(first);
                    pause();
                }
            }));
        }
    }

    void stop() throws InterruptedException {
        stopped = true;
        for (Thread thread : tail) {
            thread.join();
        }
    }

    private void publishToEach(int first) {
        for (int partition = first; partition < next.length; partition += THREADS) {
            long number = ++next[partition];
            publish(partition, number);
            ledger.published(partition, number);
        }
    }

    private void publish(int partition, long number) {
        PublishOptions once =
                PublishOptions.builder().messageId(partition + "-" + number).build();
        while (true) {
            try {
                connection.jetStream().publish(ChaosArguments.subject(partition), ChaosArguments.body(number), once);
                return;
            } catch (IOException | JetStreamApiException | IllegalStateException again) {
                if (connection.getStatus() == Connection.Status.CLOSED) {
                    throw new IllegalStateException("closed before message " + number + " was stored", again);
                }
                pause();
            }
        }
    }

    private static void pause() {
        try {
            TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws InterruptedException {
        connection.close();
        stop();
    }
}

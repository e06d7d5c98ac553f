package dev.sluice.bench;

import io.nats.client.Connection;
import io.nats.client.Dispatcher;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Publishes to the stream, 200 bytes each. Every 50th message asks for an acknowledgement, and few of those may be missing: so the
 * server never drops what it could not store yet, and the publisher costs little on a machine it shares.
 */
final class WorkerFeed implements AutoCloseable {
    private static final int PER_ACK = 50;
    private static final int ACKS_UNDER_WAY = 40;
    private static final int ACK_WITHIN_SECONDS = 30;
    private static final long PAUSE_NANOS = 500_000;

    private final Connection connection;
    private final String inbox;
    private final String[] subjects;
    private final Semaphore permits = new Semaphore(ACKS_UNDER_WAY);
    private volatile String refusal = "";

    WorkerFeed(String url, WorkerShape shape) throws IOException, InterruptedException {
        this.connection = Nats.connect(Options.builder().server(url).build());
        this.subjects = shape.subjects();
        this.inbox = connection.createInbox();
        Dispatcher acks = connection.createDispatcher(message -> {
            String answer = new String(message.getData(), StandardCharsets.UTF_8);
            if (answer.contains("\"error\"") || message.isStatusMessage()) {
                refusal = answer;
            }
            permits.release();
        });
        acks.subscribe(inbox);
    }

    /**
     * How fast messages are published.
     *
     * @param perSecond at most
     * @param lead never more than so many ahead of what is handled
     */
    record Pace(double perSecond, int lead) {
        static final Pace AS_FAST_AS_POSSIBLE = new Pace(1e9, Integer.MAX_VALUE);
    }

    /** Publishes until there are so many or {@code enough} says so; all are stored when this returns. Returns how many. */
    int publish(int phase, int messages, Pace pace, LongSupplier handled, BooleanSupplier enough) throws Exception {
        long start = System.nanoTime();
        int sent = 0;
        while (sent < messages && !enough.getAsBoolean()) {
            double due = (System.nanoTime() - start) / 1e9 * pace.perSecond();
            long most = pace.lead() == Integer.MAX_VALUE ? messages : handled.getAsLong() + pace.lead();
            int until = (int) Math.min(Math.min(due, most), messages);
            if (sent >= until) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            while (sent < until) {
                send(new BenchMessage(phase, sent, BenchMessage.now()));
                sent++;
            }
        }
        flush();
        return sent;
    }

    private void send(BenchMessage message) throws InterruptedException {
        String subject = subjects[WorkerShape.subjectOf(message.number(), subjects.length)];
        if (message.number() % PER_ACK == 0) {
            acquire(1);
            connection.publish(subject, inbox, message.encode());
        } else {
            connection.publish(subject, message.encode());
        }
    }

    private void acquire(int acks) throws InterruptedException {
        if (!permits.tryAcquire(acks, ACK_WITHIN_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the stream acknowledged nothing for " + ACK_WITHIN_SECONDS + " s");
        }
        if (!refusal.isEmpty()) {
            throw new IllegalStateException("the stream refused a message: " + refusal);
        }
    }

    private void flush() throws Exception {
        acquire(ACKS_UNDER_WAY);
        permits.release(ACKS_UNDER_WAY);
        // The messages behind the last acknowledged one.
        connection.flush(java.time.Duration.ofSeconds(ACK_WITHIN_SECONDS));
    }

    @Override
    public void close() throws InterruptedException {
        connection.close();
    }
}

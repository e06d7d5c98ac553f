package dev.sluice.gateway.web;

import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** The connections that are open now, to end them all, and what they share. Any thread may call. */
final class Connections implements AutoCloseable {
    private final String gatewayId;
    private static final Duration FAREWELL = Duration.ofSeconds(2);

    private final Set<Runnable> open = ConcurrentHashMap.newKeySet();
    private final WebCounters counters = new WebCounters();
    private final QueueMemory queued;
    private final Pings pings;
    private volatile boolean closed;

    /**
     * @param queuedBytes that may wait for all of them
     * @param ping how often WebSockets are pinged
     */
    Connections(String gatewayId, long queuedBytes, Duration ping) {
        this.gatewayId = gatewayId;
        this.queued = new QueueMemory(queuedBytes);
        this.pings = new Pings(gatewayId, ping);
    }

    /** For a subscription or a connection; nobody else has it, in this process or another. */
    String newName() {
        return gatewayId + '-' + UUID.randomUUID();
    }

    /** Closing what is returned says that it is over. */
    Open opened(Runnable close) {
        open.add(close);
        if (closed) {
            close.run();
        }
        return () -> left(close);
    }

    private synchronized void left(Runnable close) {
        open.remove(close);
        notifyAll();
    }

    /** An open connection. */
    @FunctionalInterface
    interface Open extends AutoCloseable {
        @Override
        void close();
    }

    /** What waits for all of them. */
    QueueMemory queued() {
        return queued;
    }

    /** Reminds the WebSockets among them to ping. */
    Pings pings() {
        return pings;
    }

    /** What happened to them. */
    WebCounters counters() {
        return counters;
    }

    /** Ends them all, and waits a little until they are gone. */
    @Override
    public synchronized void close() {
        closed = true;
        pings.close();
        open.forEach(Runnable::run);
        long end = System.nanoTime() + FAREWELL.toNanos();
        try {
            for (long left = FAREWELL.toMillis(); !open.isEmpty() && left > 0; ) {
                wait(left);
                left = (end - System.nanoTime()) / 1_000_000;
            }
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }
}

package dev.sluice.server.streamer;

import dev.sluice.route.DeadLetters;
import dev.sluice.subscribe.GatewayRegistry;
import dev.sluice.subscribe.SubscriptionRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What time alone brings about: leases and subscriptions that end, dead letters that are too old. On a thread of its own. */
final class Housekeeping implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.streamer");

    private final GatewayRegistry gateways;
    private final SubscriptionRegistry subscriptions;
    private final DeadLetters letters;
    private final Duration lettersLive;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final Thread thread;
    private volatile long purged;

    Housekeeping(
            GatewayRegistry gateways, SubscriptionRegistry subscriptions, DeadLetters letters, Duration lettersLive) {
        this.gateways = gateways;
        this.subscriptions = subscriptions;
        this.letters = letters;
        this.lettersLive = lettersLive;
        this.thread = Thread.ofPlatform().daemon().name("streamer-housekeeping").start(this::run);
    }

    private void run() {
        try {
            while (!stop.await(1, TimeUnit.SECONDS)) {
                step();
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private void step() {
        try {
            gateways.step();
            subscriptions.expire();
            purge(Instant.now().minus(lettersLive));
        } catch (RuntimeException failed) {
            LOG.error("housekeeping failed and is tried again", failed);
        }
    }

    /** A purged dead letter is a loss that somebody chose: it is said aloud. */
    private void purge(Instant before) {
        var gone = letters.deleteBefore(before);
        if (gone > 0) {
            purged += gone;
            LOG.atWarn()
                    .addKeyValue("deadLetters", gone)
                    .addKeyValue("olderThan", lettersLive)
                    .log("dead letters were older than routing.dlq.max_age and are gone");
        }
    }

    /** Dead letters that were removed because of their age. */
    long purged() {
        return purged;
    }

    @Override
    public void close() {
        stop.countDown();
        try {
            thread.join();
        } catch (InterruptedException goOn) {
            Thread.currentThread().interrupt();
        }
    }
}

package dev.sluice.server.streamer;

import dev.sluice.lane.DeadLetters;
import dev.sluice.run.Loop;
import dev.sluice.run.Loops;
import dev.sluice.subscribe.GatewayRegistry;
import dev.sluice.subscribe.SubscriptionRegistry;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What time alone brings about: leases and subscriptions that end, dead letters that are too old. On a thread of its own. */
final class Housekeeping implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.streamer");

    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final GatewayRegistry gateways;
    private final SubscriptionRegistry subscriptions;
    private final DeadLetters letters;
    private final Duration lettersLive;
    private final Loop loop;
    private volatile long purged;

    Housekeeping(
            Loops loops,
            GatewayRegistry gateways,
            SubscriptionRegistry subscriptions,
            DeadLetters letters,
            Duration lettersLive) {
        this.gateways = gateways;
        this.subscriptions = subscriptions;
        this.letters = letters;
        this.lettersLive = lettersLive;
        // On a platform thread: the registries and the dead letters are kept by native code.
        this.loop = loops.loop("streamer-housekeeping").onPlatformThread().start(this::step);
    }

    private Duration step() {
        gateways.step();
        subscriptions.expire();
        while (subscriptions.rehome() > 0) {}
        purge(Instant.now().minus(lettersLive));
        return INTERVAL;
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
        loop.close();
    }
}

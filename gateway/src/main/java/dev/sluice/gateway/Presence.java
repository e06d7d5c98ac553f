package dev.sluice.gateway;

import dev.sluice.grpc.streamer.v1.GatewayHeartbeatReply;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this gateway known to the Streamer: announces it, beats, and announces it again when it was forgotten. It makes no
 * other calls while it is known: renewing many subscriptions takes long, and the lease would end meanwhile.
 */
final class Presence {
    private static final Logger LOG = LoggerFactory.getLogger(Presence.class);
    private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(200);

    private final String gatewayId;
    private final String address;
    private final Endpoint endpoint;
    private final StreamerLink link;
    private final EarlierSubscriptions earlier;
    private final Runnable whenForgotten;
    private volatile boolean forgetEarlier;
    private volatile boolean known;
    private volatile int announcements;
    private volatile String problem = "it has not reached its Streamer yet";
    private boolean complained;
    private volatile Duration lease = Duration.ofSeconds(30);

    /** @param whenForgotten is run when the Streamer does not know this gateway any more, before it is announced again */
    Presence(
            String gatewayId,
            String address,
            Endpoint endpoint,
            StreamerLink link,
            EarlierSubscriptions earlier,
            boolean forgetEarlier,
            Runnable whenForgotten) {
        this.gatewayId = gatewayId;
        this.address = address;
        this.endpoint = endpoint;
        this.link = link;
        this.earlier = earlier;
        this.forgetEarlier = forgetEarlier;
        this.whenForgotten = whenForgotten;
    }

    /** One beat. Returns how long to wait for the next. */
    Duration step() {
        try {
            if (known) {
                beat();
            }
            if (!known) {
                announce();
            }
            complained = false;
            problem = "";
            return interval();
        } catch (RuntimeException failed) {
            problem = String.valueOf(failed.getMessage());
            if (!complained) {
                LOG.warn("{} Trying again until it does.", failed.getMessage());
            }
            complained = true;
            return RETRY_PAUSE;
        }
    }

    /** A third of the lease. */
    Duration interval() {
        Duration third = lease.dividedBy(3);
        return third.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : third;
    }

    /** The subscriptions of an earlier life are not ended yet: new ones would end with them. */
    boolean isForgetting() {
        return forgetEarlier;
    }

    /** Whether the Streamer knew it when it last answered. */
    boolean isKnown() {
        return known;
    }

    /** How often the Streamer was told of this gateway: it may have lost its subscriptions each time but the first. */
    int announcements() {
        return announcements;
    }

    /** Why the last beat failed; empty when it did not. */
    String problem() {
        return problem;
    }

    private void beat() {
        GatewayHeartbeatReply reply = link.heartbeat(gatewayId);
        known = reply.getKnown();
        if (!known) {
            // Ahead of the announcement: what partitions tell after it is of a gateway without subscriptions.
            whenForgotten.run();
        }
        lease = reply.getLeaseSeconds() > 0 ? Duration.ofSeconds(reply.getLeaseSeconds()) : lease;
    }

    private void announce() {
        boolean keepsEarlier = !forgetEarlier;
        if (forgetEarlier) {
            link.removeGateway(gatewayId);
            forgetEarlier = false;
        }
        Duration granted = link.registerGateway(gatewayId, address, endpoint.protocol());
        lease = granted.isZero() ? lease : granted;
        // Behind the registration, which subscriptions of this gateway wait for; the grace begins only after it.
        if (keepsEarlier && announcements == 0) {
            earlier.learn(link.timesToLive(gatewayId));
        }
        announcements++;
        known = true;
        LOG.info(
                "Gateway {} takes events by {} at {}",
                gatewayId,
                endpoint.protocol().text(),
                address);
    }
}

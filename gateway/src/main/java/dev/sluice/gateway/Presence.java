package dev.sluice.gateway;

import dev.sluice.grpc.streamer.v1.GatewayHeartbeatReply;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps this gateway known to the Streamer: announces it, beats, and announces it again when it was forgotten. */
final class Presence {
    private static final Logger LOG = LoggerFactory.getLogger(Presence.class);
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration LEAST = Duration.ofMillis(200);

    private final String gatewayId;
    private final String address;
    private final Endpoint endpoint;
    private final StreamerLink link;
    private final Registrations registrations;
    private volatile boolean forgetEarlier;
    private boolean known;
    private boolean wasKnown;
    private boolean complained;
    private Duration lease = Duration.ofSeconds(30);

    Presence(
            String gatewayId,
            String address,
            Endpoint endpoint,
            StreamerLink link,
            Registrations registrations,
            boolean forgetEarlier) {
        this.gatewayId = gatewayId;
        this.address = address;
        this.endpoint = endpoint;
        this.link = link;
        this.registrations = registrations;
        this.forgetEarlier = forgetEarlier;
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
            registrations.renew();
            complained = false;
            Duration third = lease.dividedBy(3);
            return third.compareTo(LEAST) < 0 ? LEAST : third;
        } catch (RuntimeException failed) {
            if (!complained) {
                LOG.warn("{} Trying again until it does.", failed.getMessage());
            }
            complained = true;
            return SOON;
        }
    }

    /** The subscriptions of an earlier life are not ended yet: new ones would end with them. */
    boolean isForgetting() {
        return forgetEarlier;
    }

    /** The Streamer knew it when it was last asked; for the thread that steps. */
    boolean isKnown() {
        return known;
    }

    private void beat() {
        GatewayHeartbeatReply reply = link.heartbeat(gatewayId);
        known = reply.getKnown();
        lease = reply.getLeaseSeconds() > 0 ? Duration.ofSeconds(reply.getLeaseSeconds()) : lease;
    }

    private void announce() {
        if (forgetEarlier) {
            link.removeGateway(gatewayId);
            forgetEarlier = false;
        }
        Duration granted = link.registerGateway(gatewayId, address, endpoint.protocol());
        lease = granted.isZero() ? lease : granted;
        if (wasKnown) {
            registrations.againAll();
        }
        known = true;
        wasKnown = true;
        LOG.info(
                "Gateway {} takes events by {} at {}",
                gatewayId,
                endpoint.protocol().text(),
                address);
    }
}

package dev.sluice.route;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.PartitionUser;
import dev.sluice.deliver.Deliverers;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.GatewayListener;
import dev.sluice.subscribe.SubscriptionEnd;
import dev.sluice.subscribe.SubscriptionListener;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Match to gateway, for the partitions this member owns: each partition's events are read in order, matched, handed to the
 * lane of each gateway concerned, and count as done when the gateway has acknowledged them or they are kept as dead
 * letters. A partition's position never passes what is not done. A gateway that is slow, away or failing costs a position
 * in the log and nobody else's time.
 *
 * <p>It is told what it owns as a {@link PartitionUser}, and what changes as a listener of the registries: listen first,
 * then join the group.
 */
public final class Streamer implements PartitionUser, SubscriptionListener, GatewayListener, AutoCloseable {
    private final StreamerCounters counters = new StreamerCounters();

    /** Nothing runs until a partition is assigned. It closes neither what it is given nor what it makes of it. */
    public Streamer(
            StreamerSettings settings,
            EventFeed feed,
            KnownSubscriptions subscriptions,
            Deliverers deliverers,
            DeadLetters deadLetters,
            Turns turns) {}

    @Override
    public void assigned(Claim claim) {}

    @Override
    public void revoking(Claim claim) {}

    @Override
    public void lost(Claim claim) {}

    @Override
    public void beforeAdd(Subscription subscription, @Nullable Subscription earlier) {}

    @Override
    public void afterRemove(Subscription subscription, SubscriptionEnd why) {}

    @Override
    public void up(GatewayAddress gateway) {}

    @Override
    public void away(String gatewayId) {}

    @Override
    public void gone(String gatewayId) {}

    /** A marker of where a subscription registered now begins, or a little before; empty while nothing is owned. */
    public String head() {
        return "";
    }

    /** A marker up to which this gateway has acknowledged all it was owed; empty while nothing is owned. */
    public String lowWater(String gatewayId) {
        return "";
    }

    public StreamerStatus status() {
        return new StreamerStatus(List.of(), List.of());
    }

    public StreamerCounters counters() {
        return counters;
    }

    /**
     * Sends dead letters again, in the given order and not all at once. Those a gateway takes are deleted, the others get
     * one more line of history.
     */
    public RetryReport retry(List<String> ids, boolean dryRun) {
        return new RetryReport(List.of(), ids);
    }

    /** Takes nothing in any more and waits for what is under way. Returns whether all of it was acknowledged. */
    public boolean drain(Duration atMost) {
        return true;
    }

    /** Stops everything at once; positions stay where they were last reported. */
    @Override
    public void close() {}
}

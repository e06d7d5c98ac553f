package dev.sluice.route;

import dev.sluice.coordinate.Ownership;
import dev.sluice.deliver.Passed;
import dev.sluice.deliver.Reason;
import dev.sluice.lane.Awaited;
import dev.sluice.lane.Flow;
import dev.sluice.lane.Flows;
import dev.sluice.lane.GroupKey;
import dev.sluice.lane.Lane;
import dev.sluice.lane.PendingDelivery;
import dev.sluice.lane.Sender;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Places;
import dev.sluice.run.Turns;
import dev.sluice.saved.SavedPosition;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One partition that this member owns: what others may ask it or tell it, and how it ends. Its {@link PartitionThread} does the
 * work; it never waits for a gateway, and sleeps until something arrives.
 */
final class OwnedPartition implements Sender {
    private static final Logger LOG = LoggerFactory.getLogger(OwnedPartition.class);

    private final Ownership ownership;
    private final StreamerContext context;
    private final int partitions;
    private final Gauge gauge;

    /** Guards everything below; never held while a store, a gateway or another partition is called. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Arrived arrived = new Arrived();
    private final Flows flows = new Flows();
    private final PartitionParts parts;
    private final PartitionStreams streams;
    private final PartitionThread thread;
    private volatile boolean open = true;
    private volatile boolean takingIn = true;
    private boolean ending;
    private volatile Turns.@Nullable Loop loop;

    /** @param partitions of how many this is one */
    OwnedPartition(Ownership ownership, StreamerContext context, int partitions, @Nullable SavedPosition saved) {
        this.ownership = ownership;
        this.context = context;
        this.partitions = partitions;
        this.gauge = new Gauge(context.turns().nanos());
        List<PartitionStream> all = new CopyOnWriteArrayList<>();
        Displaced displaced = new Displaced();
        Audience audience = new Audience(context.router());
        Offering offering = new Offering(context, this, flows, displaced, audience);
        ResyncOrders resyncs = new ResyncOrders(context, this, flows);
        Placement placement = new Placement(context, this, offering, audience);
        RegistryFollower follower = new RegistryFollower(context, this, all, flows, displaced, placement, resyncs);
        this.streams = new PartitionStreams(context, this, saved, all, offering, follower, displaced, resyncs);
        PositionSaver saver = new PositionSaver(ownership, context, () -> locked(() -> streams.position(ending)));
        this.parts = new PartitionParts(arrived, streams, offering, follower, resyncs, saver, gauge);
        this.thread = new PartitionThread(context, this, parts);
    }

    void start() {
        loop = context.turns().loop("partition-" + partition(), thread);
    }

    @Override
    public int partition() {
        return ownership.partition();
    }

    @Override
    public FencingToken token() {
        return ownership.token();
    }

    @Override
    public Flow flow(String subscriptionId, Lane lane) {
        return flows.of(subscriptionId, lane);
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    Duration untilDeadline() {
        return ownership.untilDeadline();
    }

    /** Of how many this is one. */
    int partitions() {
        return partitions;
    }

    List<PartitionStream> streams() {
        return streams.all();
    }

    Flows flows() {
        return flows;
    }

    /** Whether its streams are open and every subscription is placed. */
    boolean isPlaced() {
        return streams.isOpened();
    }

    <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    void locked(Runnable work) {
        locked(() -> {
            work.run();
            return true;
        });
    }

    /** Null while the partition works, or its groups do not fit the gateways yet: a lane does not wait for that. */
    private <T> @Nullable T ifFree(Supplier<T> work) {
        if (!streams.isOpened() || lock.isHeldByCurrentThread() || !lock.tryLock()) {
            return null;
        }
        try {
            return arrived.hasLanesChanged() ? null : work.get();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void wake() {
        Turns.Loop running = loop;
        if (running != null) {
            running.wake();
        }
    }

    // What arrives, from any thread.

    @Override
    public void settled(List<PendingDelivery> done) {
        if (arrived.settled(done)) {
            wake();
        }
    }

    @Override
    public boolean isCurrent(PendingDelivery delivery) {
        return context.registry().isCurrent(delivery.subscriptionId(), delivery.changedAt());
    }

    @Override
    public void stuck(PendingDelivery delivery) {
        arrived.stuck(delivery);
        wake();
    }

    /** Other gateways are known, or serve other groups. */
    void lanesChanged() {
        arrived.lanesChanged();
        wake();
    }

    @Override
    public void fenced(String gatewayId, String reason, Consumer<Boolean> stillOurs) {
        LOG.atWarn()
                .addKeyValue("partition", partition())
                .addKeyValue("gateway", gatewayId)
                .addKeyValue("token", token())
                .addKeyValue("reason", reason)
                .log("a gateway knows a newer owner of the partition: the claim decides");
        context.turns().after(Duration.ZERO, () -> {
            boolean ours = parts.saver().proves();
            if (!ours) {
                close();
            }
            stillOurs.accept(ours);
        });
    }

    // Positions.

    /** The lowest place of each log up to which these groups have settled everything; null while that is not known. */
    @Nullable
    Places lowWater(Collection<GroupKey> groups) {
        return ifFree(() -> new PositionNow(streams.all()).lowWater(groups));
    }

    /** How far the gateway's own subscriptions have got; null while that is not known. */
    @Nullable
    Passed passed(String gatewayId) {
        return ifFree(() -> new PositionNow(streams.all()).passed(gatewayId, this));
    }

    long applied() {
        return parts.follower().applied();
    }

    // The end.

    /** Nothing new is taken in; what is on its way goes on. */
    void stopTakingIn() {
        takingIn = false;
        wake();
    }

    boolean isTakingIn() {
        return open && takingIn;
    }

    /** Whether events may be offered. Under the partition's lock: after {@link #finish} nothing is. */
    boolean mayOffer() {
        return isTakingIn() && !ending;
    }

    /** Whether nothing is on its way that a gateway could still acknowledge. */
    boolean isDrained() {
        return context.lanes().all().stream().noneMatch(lane -> lane.isReachable() && lane.holds(this));
    }

    /** Counts what arrived and reports the final position. */
    void finish() {
        locked(() -> ending = true);
        try {
            thread.takeArrived();
        } catch (RuntimeException notAll) {
            LOG.atWarn()
                    .addKeyValue("partition", partition())
                    .addKeyValue("reason", Reason.of(notAll))
                    .log("not everything that was acknowledged could be counted: it will come again");
        }
        if (open) {
            parts.saver().report();
        }
    }

    /** It is not ours any more: what is on its way counts for nothing. */
    void close() {
        open = false;
        withdrawAll();
        wake();
    }

    void withdrawAll() {
        for (Lane lane : context.lanes().all()) {
            Awaited unused = lane.withdraw(each -> each.sender == this, each -> {});
            lane.pump();
        }
    }

    // For status reports.

    PartitionReport report() {
        return locked(() -> new PartitionReport(
                this, context, gauge, streams.all(), parts.resyncs().isEmpty()));
    }

    /** Where a subscription stands, none if it has ended; null: the partition was busy for longer than {@code atMost}. */
    @Nullable
    List<SubscriptionStatus.Standing> report(String subscriptionId, Duration atMost) throws InterruptedException {
        if (!lock.tryLock(Math.max(0, atMost.toNanos()), TimeUnit.NANOSECONDS)) {
            return null;
        }
        try {
            return context.registry().reading(() -> {
                var found = context.registry().find(subscriptionId);
                return found == null
                        ? List.of()
                        : new SubscriptionReport(context, this, gauge, parts.resyncs()).of(found);
            });
        } finally {
            lock.unlock();
        }
    }
}

package dev.sluice.route;

import dev.sluice.feed.FeedEvent;
import dev.sluice.feed.FeedOutOfRangeException;
import dev.sluice.feed.LogChangedException;
import dev.sluice.feed.LogHead;
import dev.sluice.feed.ResolvedIds;
import dev.sluice.model.ClusterTime;

/**
 * Reads a stream's tail and offers its events in small portions; between two portions the lanes are pumped while no lock is
 * held. For the partition's thread.
 */
final class TailReader {
    private static final int OFFERED_AT_ONCE = 100;

    private final StreamerContext context;
    private final OwnedPartition partition;
    private final PartitionStreams streams;
    private final Offering offering;
    private final RegistryFollower follower;
    private final PositionSaver saver;
    private final Gauge gauge;
    private final LogRecovery recovery;
    private final Runnable pump;

    /** @param pump sends what lanes were given; called while no lock is held */
    TailReader(StreamerContext context, OwnedPartition partition, PartitionParts parts, Runnable pump) {
        this.context = context;
        this.partition = partition;
        this.streams = parts.streams();
        this.offering = parts.offering();
        this.follower = parts.follower();
        this.saver = parts.saver();
        this.gauge = parts.gauge();
        this.pump = pump;
        this.recovery = new LogRecovery(
                context, offering, partition.partition(), follower.placement().audience());
    }

    /** Reads and offers at the tail. Returns whether there may be more. */
    boolean turn(PartitionStream stream) {
        try {
            partition.locked(stream::readTail);
        } catch (FeedOutOfRangeException why) {
            return partition.locked(() -> recovery.skipLost(stream, why));
        } catch (LogChangedException changed) {
            LogHead head = recovery.headOf(stream);
            ResolvedIds resolved =
                    ResolvedIds.ask(context.feed(), stream.log(), head.identity(), partition.locked(stream::places));
            return partition.locked(() -> recovery.resolveAnew(stream, head, resolved));
        }
        int read = stream.unoffered();
        long newest = 0;
        while (partition.isTakingIn()
                && stream.nextAtTail() != null
                && reserve(stream, stream.timeOfNext(OFFERED_AT_ONCE))) {
            newest = partition.locked(() -> context.registry().reading(() -> offerSome(stream)));
            pump.run();
            if (newest == 0) {
                return true;
            }
        }
        gauge.read(read, newest, streams.slowestSource(), context.turns().nanos());
        return read > 0;
    }

    /** Offers the next events of the tail. Returns the time of the last one, by the source's clock; 0: none was offered. */
    private long offerSome(PartitionStream stream) {
        if (!follower.follow() || !partition.mayOffer()) {
            return 0;
        }
        long newest = 0;
        FeedEvent event = stream.nextAtTail();
        for (int k = 0; k < OFFERED_AT_ONCE && event != null; k++) {
            long start = context.turns().nanos();
            offering.atTail(stream, event);
            context.counters().routingTime.accept(context.turns().nanos() - start);
            newest = Math.max(1, event.event().timestamp());
            event = stream.nextAtTail();
        }
        return newest;
    }

    /**
     * Saves a later {@code sent} where the next events need it: what is handed over must be known after any crash. Returns
     * false when the partition is not ours any more. Calls the store: not under the partition's lock.
     */
    boolean reserve(PartitionStream stream, ClusterTime next) {
        if (stream.sent().covers(next)) {
            return true;
        }
        ClusterTime before = stream.sent().reserved();
        partition.locked(() -> stream.sent()
                .saved(stream.sent()
                        .raised(next, stream.head().time(), context.turns().nanos())));
        boolean ours = false;
        try {
            ours = saver.save();
        } finally {
            if (!ours) {
                stream.sent().saved(before);
            }
        }
        if (!ours) {
            partition.close();
        }
        return ours;
    }
}

package dev.sluice.route;

import dev.sluice.saved.SavedPosition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one partition: opened from the saved position, opened anew when the feed has more logs, and read out for the
 * next save. For the partition's thread; the position is made under the partition's lock.
 */
final class PartitionStreams {
    private final StreamerContext context;
    private final OwnedPartition partition;
    private final List<PartitionStream> streams;
    private final Offering offering;
    private final RegistryFollower follower;
    private final Displaced displaced;
    private final ResyncOrders resyncs;
    private final List<BroadcastGroups> broadcasts = new ArrayList<>();
    private @Nullable SavedPosition saved;
    private volatile boolean opened;

    /**
     * @param saved null: the partition is new
     * @param streams filled here; the follower shares it
     */
    PartitionStreams(
            StreamerContext context,
            OwnedPartition partition,
            @Nullable SavedPosition saved,
            List<PartitionStream> streams,
            Offering offering,
            RegistryFollower follower,
            Displaced displaced,
            ResyncOrders resyncs) {
        this.context = context;
        this.partition = partition;
        this.saved = saved;
        this.streams = streams;
        this.offering = offering;
        this.follower = follower;
        this.displaced = displaced;
        this.resyncs = resyncs;
    }

    /** Whether the streams are open and every subscription is placed. */
    boolean isOpened() {
        return opened;
    }

    List<PartitionStream> all() {
        return streams;
    }

    List<BroadcastGroups> broadcasts() {
        return broadcasts;
    }

    /** Asks the feed without the lock, then places all groups and subscriptions under it. */
    void open() {
        StreamsAtClaim claimed = new StreamsAtClaim(context, saved);
        List<PartitionStream> made = claimed.open(partition.partition(), partition.partitions(), partition::wake);
        partition.locked(() -> {
            closeReaders();
            streams.clear();
            streams.addAll(made);
            return context.registry().reading(() -> place(claimed, made));
        });
        opened = true;
    }

    private boolean place(StreamsAtClaim claimed, List<PartitionStream> made) {
        displaced.clear();
        Audience audience = follower.placement().audience();
        audience.follow();
        claimed.place(made, follower, displaced, resyncs);
        broadcasts.clear();
        made.forEach(
                each -> broadcasts.add(new BroadcastGroups(audience, offering, each, claimed.broadcastGateways(each))));
        return true;
    }

    /**
     * A Puller that was started again may have more logs: then the partition begins anew from its present position. Returns
     * whether it does.
     */
    boolean closeIfLogsWereAdded() {
        Set<String> known = new HashSet<>();
        streams.forEach(each -> known.add(each.log()));
        if (known.containsAll(context.feed().heads().keySet())) {
            return false;
        }
        return partition.locked(() -> {
            saved = position(false);
            opened = false;
            closeReaders();
            return true;
        });
    }

    /** Closes what a failure may have broken; the next turn reads again. Under the partition's lock. */
    void closeReaders() {
        streams.forEach(PartitionStream::closeReaders);
    }

    /**
     * The position to save. Under the partition's lock.
     *
     * @param ending nothing more is handed over
     */
    SavedPosition position(boolean ending) {
        if (!opened) {
            return saved == null ? new SavedPosition(context.registry().identity(), 0, Map.of(), List.of()) : saved;
        }
        SavedPosition now = new PositionNow(streams)
                .position(context.registry().identity(), resyncs.revision(follower.applied()), resyncs.owed(), ending);
        // A log that is not there now may come back: its place is kept.
        return saved == null ? now : now.withLogsOf(saved);
    }

    /** The time of the source that is furthest behind; 0: no source has told its time. */
    long slowestSource() {
        long slowest = Long.MAX_VALUE;
        for (PartitionStream each : streams) {
            slowest = Math.min(slowest, each.sourceTime());
        }
        return slowest == Long.MAX_VALUE ? 0 : slowest;
    }
}

package dev.sluice.route;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.Ownership;
import dev.sluice.model.FencingToken;
import dev.sluice.saved.SavedPosition;
import dev.sluice.saved.SavedPositionText;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The partitions this member owns: how they begin, and how they end with or without notice. */
final class OwnedPartitions {
    private static final Logger LOG = LoggerFactory.getLogger(OwnedPartitions.class);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(5);

    private final StreamerContext context;
    private final IntUnaryOperator partitionCount;
    private final Map<Integer, OwnedPartition> owned = new ConcurrentHashMap<>();
    private boolean closed;

    /** @param partitionCount of how many partitions an assigned one is */
    OwnedPartitions(StreamerContext context, IntUnaryOperator partitionCount) {
        this.context = context;
        this.partitionCount = partitionCount;
    }

    Collection<OwnedPartition> all() {
        return owned.values();
    }

    @Nullable
    OwnedPartition open(int number) {
        OwnedPartition found = owned.get(number);
        return found == null || !found.isOpen() ? null : found;
    }

    synchronized void assigned(Ownership claim) {
        OwnedPartition before = owned.remove(claim.partition());
        if (before != null) {
            before.close();
        }
        if (!closed) {
            int partitions = partitionCount.applyAsInt(claim.partition());
            SavedPosition saved = SavedPositionText.parse(claim.position()).orElse(null);
            OwnedPartition partition = new OwnedPartition(claim, context, partitions, saved);
            owned.put(claim.partition(), partition);
            partition.start();
        }
    }

    /** Waits for what is under way, within {@link StreamerSettings#flushTimeout}. */
    void revoking(Claim claim) {
        OwnedPartition leaving = owned.get(claim.partition());
        if (leaving != null && leaving.token().equals(claim.token())) {
            // A partition that was drained already has waited long enough.
            Duration atMost = leaving.isTakingIn() ? context.settings().flushTimeout() : Duration.ZERO;
            leaving.stopTakingIn();
            try {
                boolean unused = await(List.of(leaving), atMost);
                leaving.finish();
            } finally {
                leaving.close();
                owned.remove(claim.partition(), leaving);
            }
        }
    }

    void lost(int partition, FencingToken token) {
        OwnedPartition gone = owned.get(partition);
        if (gone != null && gone.token().equals(token)) {
            gone.close();
            owned.remove(partition, gone);
        }
    }

    /** How long no other member can own one of them, without another renewal of the lease. */
    Duration untilDeadline() {
        return owned.values().stream()
                .map(OwnedPartition::untilDeadline)
                .reduce(ChronoUnit.FOREVER.getDuration(), (one, two) -> one.compareTo(two) <= 0 ? one : two);
    }

    boolean isReady() {
        return !owned.isEmpty() && owned.values().stream().allMatch(OwnedPartition::isPlaced);
    }

    /** Takes nothing in any more and waits for what is under way. Returns whether all of it was acknowledged. */
    boolean drain(Duration atMost) {
        Collection<OwnedPartition> all = List.copyOf(owned.values());
        all.forEach(OwnedPartition::stopTakingIn);
        boolean drained = await(all, atMost);
        all.forEach(OwnedPartition::finish);
        return drained;
    }

    private boolean await(Collection<OwnedPartition> leaving, Duration atMost) {
        long start = context.turns().nanos();
        while (!leaving.stream().allMatch(OwnedPartition::isDrained)) {
            if (context.turns().nanos() - start >= atMost.toNanos()) {
                LOG.atWarn()
                        .addKeyValue("afterMs", TimeUnit.NANOSECONDS.toMillis(atMost.toNanos()))
                        .log("not everything under way was acknowledged in time: it will come again");
                return false;
            }
            LockSupport.parkNanos(LOOK_AGAIN.toNanos());
        }
        return true;
    }

    /** Stops them at once; their positions stay where they were last reported. */
    synchronized void close() {
        closed = true;
        owned.values().forEach(OwnedPartition::close);
        owned.clear();
    }
}

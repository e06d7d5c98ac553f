package dev.sluice.server.streamer;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.Group;
import dev.sluice.coordinate.PartitionUser;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntUnaryOperator;

/**
 * The number of partitions of the layout in which each owned partition was claimed. The group may change the number while
 * everything runs; a partition keeps the number of its claim's generation, because by another one it would read, and pass,
 * the wrong events.
 */
final class CountedPartitions implements PartitionUser, IntUnaryOperator {
    private final int configured;
    private final CompletableFuture<PartitionUser> user = new CompletableFuture<>();
    private final CompletableFuture<Group> group = new CompletableFuture<>();
    private final Map<Integer, Integer> counts = new ConcurrentHashMap<>();

    /** @param configured the number for partitions that were never assigned */
    CountedPartitions(int configured) {
        this.configured = configured;
    }

    /** Streamer and group are made with this object, so they come later; a claim that arrives before waits for them. */
    void serve(PartitionUser streamer) {
        user.complete(streamer);
    }

    void of(Group started) {
        group.complete(started);
    }

    /** Returns of how many partitions this one is. */
    @Override
    public int applyAsInt(int partition) {
        return counts.getOrDefault(partition, configured);
    }

    @Override
    public void assigned(Claim claim) {
        var layout = group.join().status();
        if (layout.generation() != claim.token().generation() || layout.changing()) {
            throw new IllegalStateException("the number of partitions is being changed: partition " + claim.partition()
                    + " is taken again when that is done");
        }
        counts.put(claim.partition(), layout.partitions());
        user.join().assigned(claim);
    }

    @Override
    public void revoking(Claim claim) {
        user.join().revoking(claim);
    }

    @Override
    public void lost(Claim claim) {
        user.join().lost(claim);
    }
}

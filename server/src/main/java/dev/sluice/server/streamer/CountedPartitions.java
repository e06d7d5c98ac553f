package dev.sluice.server.streamer;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.Group;
import dev.sluice.coordinate.PartitionUser;
import dev.sluice.model.ProgressMarker;
import dev.sluice.route.EventFeed;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Of how many partitions each one is that this node owns. The group may change their number while everything runs; a
 * partition keeps the number of its claim's generation, because by another it would read, and pass, the wrong events.
 */
final class CountedPartitions implements EventFeed, PartitionUser {
    private final EventFeed feed;
    private final CompletableFuture<PartitionUser> user = new CompletableFuture<>();
    private final CompletableFuture<Group> group = new CompletableFuture<>();
    private final Map<Integer, Integer> counts = new ConcurrentHashMap<>();

    CountedPartitions(EventFeed feed) {
        this.feed = feed;
    }

    /** Both are made with this, so they come later; whoever is told of a partition before waits for them. */
    void serve(PartitionUser streamer) {
        user.complete(streamer);
    }

    void of(Group started) {
        group.complete(started);
    }

    @Override
    public Reader open(String label, @Nullable ProgressMarker after, int partition, int partitions) {
        return feed.open(label, after, partition, partitions(partition, partitions));
    }

    @Override
    public int partitions(int partition, int configured) {
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

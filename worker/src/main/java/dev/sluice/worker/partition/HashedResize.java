package dev.sluice.worker.partition;

import dev.sluice.worker.Partition;
import dev.sluice.worker.stream.MessageStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Closes the partitions of an earlier number of hash slots, after {@link PartitionDirectory#changeTo}: when the stream's
 * transform writes the new number, and no message with an earlier number has come for a while. The leader of the group calls
 * {@link #step}; it has no thread and no clock of its own.
 */
public final class HashedResize {
    /** How long the subjects of the earlier number of slots must be quiet: messages on their way through a cluster. */
    static final Duration QUIET = Duration.ofSeconds(10);

    private final PartitionDirectory directory;
    private final MessageStream stream;
    private final LongSupplier nanos;
    /** The last messages of the partitions to close as first seen, by index. */
    private Map<Integer, Long> lastSeen = Map.of();

    private long since;

    /** @param nanos as {@link System#nanoTime()} */
    public HashedResize(PartitionDirectory directory, MessageStream stream, LongSupplier nanos) {
        this.directory = directory;
        this.stream = stream;
        this.nanos = nanos;
    }

    /** Whether a partition that is no longer configured stays open until its subjects are quiet. */
    static boolean closesLater(Partitions wanted, Partition partition) {
        return wanted instanceof HashedSubjects hashed
                && partition.filter().endsWith(".>")
                && partition.filter().startsWith(hashed.prefix() + '.');
    }

    /** Returns how many partitions it has closed. */
    public int step() {
        Optional<Partitions> configured = directory.partitions();
        if (configured.isEmpty() || !(configured.get() instanceof HashedSubjects hashed)) {
            return 0;
        }
        List<Partition> earlier = directory.read().open().stream()
                .filter(partition -> hashed.idOf(partition.filter()).isEmpty())
                .toList();
        if (earlier.isEmpty() || !HashedTransform.isSet(stream.state(), hashed)) {
            lastSeen = Map.of();
            return 0;
        }
        Map<Integer, Long> last = new HashMap<>();
        earlier.forEach(partition ->
                last.put(partition.index(), stream.lastOf(partition.filter()).orElse(0)));
        if (!last.equals(lastSeen)) {
            lastSeen = last;
            since = nanos.getAsLong();
            return 0;
        }
        if (nanos.getAsLong() - since < QUIET.toNanos()) {
            return 0;
        }
        directory.close(last);
        lastSeen = Map.of();
        return last.size();
    }
}

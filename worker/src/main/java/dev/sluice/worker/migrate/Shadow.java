package dev.sluice.worker.migrate;

import dev.sluice.worker.Partition;
import dev.sluice.worker.lane.Tally;
import dev.sluice.worker.partition.PartitionMap;
import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.Consumers;
import dev.sluice.worker.stream.Delivery;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A consumer of the mode that does not handle yet. Its messages are counted and dropped, so it holds no memory and needs no
 * part of the bounds of the readers that feed lanes.
 */
final class Shadow implements Consumers.Receiver {
    /** What one shadow asks for at most, and all of a worker together: they share a connection with what handles. */
    private static final int CREDIT = 500;

    private static final int CREDIT_OF_ALL = 5_000;
    private static final int BYTES_OF_ALL = 16 << 20;
    private static final int LEAST_BYTES = 16 << 10;

    private final ConsumerSpec spec;
    private final Map<Integer, Tally> tallies;
    private final Supplier<PartitionMap> partitions;
    private final IntSupplier shadows;
    private volatile Consumers.@Nullable Pull pull;
    private volatile @Nullable String broken;
    private volatile boolean closed;
    private long expected = 1;

    /**
     * @param tallies by the index of their partition
     * @param shadows how many the worker has now
     */
    Shadow(ConsumerSpec spec, Map<Integer, Tally> tallies, Supplier<PartitionMap> partitions, IntSupplier shadows) {
        this.spec = spec;
        this.tallies = Map.copyOf(tallies);
        this.partitions = partitions;
        this.shadows = shadows;
    }

    void open(Consumers consumers) {
        consumers.create(spec);
        Consumers.Pull opened = consumers.pull(spec.name(), this);
        pull = opened;
        if (closed) {
            opened.close();
        }
        pullMore();
    }

    private void pullMore() {
        Consumers.Pull open = pull;
        int all = Math.max(1, shadows.getAsInt());
        int credit = Math.clamp(CREDIT_OF_ALL / all, 1, CREDIT);
        if (open != null && !closed && broken == null && open.outstanding() <= credit / 2) {
            open.want(credit, Math.max(LEAST_BYTES, BYTES_OF_ALL / all));
        }
    }

    @Override
    public synchronized void delivered(Delivery delivery) {
        if (closed || broken != null) {
            return;
        }
        if (delivery.consumerSequence() != expected) {
            broken("delivery " + expected + " of consumer " + spec.name() + " is missing");
            return;
        }
        expected++;
        Partition partition = partitions.get().of(delivery.subject());
        Tally tally = partition == null ? null : tallies.get(partition.index());
        if (tally != null) {
            tally.count(delivery.sequence());
        }
        pullMore();
    }

    @Override
    public synchronized void idle(long delivered) {
        if (delivered >= expected) {
            broken("deliveries " + expected + " to " + delivered + " of consumer " + spec.name() + " are missing");
        }
    }

    @Override
    public void broken(String reason) {
        broken = broken == null ? reason : broken;
    }

    /** Why it counts no more; null while it does. */
    @Nullable
    String brokenBy() {
        return broken;
    }

    /** Whether it receives: not when its creation or its pull failed. */
    boolean isOpen() {
        return pull != null && broken == null && !closed;
    }

    String name() {
        return spec.name();
    }

    /** Stops receiving; its keeper deletes the consumer. */
    void close() {
        closed = true;
        Consumers.Pull open = pull;
        if (open != null) {
            open.close();
        }
    }
}

package dev.sluice.worker.migrate;

import dev.sluice.worker.Partition;
import dev.sluice.worker.partition.PartitionMap;
import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.Consumers;
import dev.sluice.worker.stream.Delivery;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A consumer of the mode that does not handle yet. Its messages are compared by their sequences and dropped. */
final class Shadow implements Consumers.Receiver {
    /** Bounds of pull requests: shadows share a connection with the consumers that handle. */
    private static final int MESSAGES_OF_ONE = 500;

    private static final int MESSAGES_OF_ALL = 5_000;
    private static final int BYTES_OF_ALL = 16 << 20;
    private static final int MIN_BYTES_OF_ONE = 16 << 10;

    private final ConsumerSpec spec;
    private final List<ComparedLane> lanes;
    private final Map<Integer, ComparedLane> byPartition;
    private final Supplier<PartitionMap> partitions;
    private final int messages;
    private final int bytes;
    private volatile Consumers.@Nullable Pull pull;
    private volatile Verdict verdict = Verdict.GOOD;
    private volatile boolean closed;
    private long expected = 1;

    /** @param shadows how many the worker has, which share the bounds */
    Shadow(ConsumerSpec spec, List<ComparedLane> lanes, Supplier<PartitionMap> partitions, int shadows) {
        this.spec = spec;
        this.lanes = List.copyOf(lanes);
        this.byPartition = lanes.stream()
                .collect(Collectors.toMap(lane -> lane.lane().partition().index(), Function.identity()));
        this.partitions = partitions;
        this.messages = Math.clamp(MESSAGES_OF_ALL / shadows, 1, MESSAGES_OF_ONE);
        this.bytes = Math.max(MIN_BYTES_OF_ONE, BYTES_OF_ALL / shadows);
    }

    String name() {
        return spec.name();
    }

    List<ComparedLane> lanes() {
        return lanes;
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
        if (open != null && !closed && verdict.isGood() && open.outstanding() <= messages / 2) {
            open.want(messages, bytes);
        }
    }

    @Override
    public synchronized void delivered(Delivery delivery) {
        if (closed || !verdict.isGood()) {
            return;
        }
        if (delivery.consumerSequence() != expected) {
            missing();
            return;
        }
        expected++;
        Partition partition = partitions.get().of(delivery.subject());
        ComparedLane lane = partition == null ? null : byPartition.get(partition.index());
        if (lane != null) {
            lane.seen(delivery.sequence());
        }
        pullMore();
    }

    @Override
    public synchronized void idle(long delivered) {
        if (delivered >= expected) {
            missing();
        }
    }

    private void missing() {
        verdict = verdict.and(Verdict.bad("delivery " + expected + " of shadow consumer " + name() + " is missing"));
    }

    /** The connection was lost, or the server that had the consumer: that says nothing of the mode. */
    @Override
    public synchronized void broken(String reason) {
        verdict = verdict.and(Verdict.neutral("shadow consumer " + name() + " is replaced: " + reason));
    }

    /** Good while it receives. */
    Verdict verdict() {
        return verdict;
    }

    /** Whether it can be compared in the next window. */
    boolean isUsable() {
        return pull != null && verdict.isGood() && lanes.stream().noneMatch(ComparedLane::isOverrun);
    }

    /** Stops receiving; its owner deletes the consumer. */
    void close() {
        closed = true;
        lanes.forEach(ComparedLane::close);
        Consumers.Pull open = pull;
        if (open != null) {
            open.close();
        }
    }
}

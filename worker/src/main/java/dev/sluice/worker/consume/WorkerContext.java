package dev.sluice.worker.consume;

import dev.sluice.coordinate.Clockwork;
import dev.sluice.worker.WorkerCounters;
import dev.sluice.worker.WorkerListener;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.lane.Lane;
import dev.sluice.worker.partition.PartitionMap;
import dev.sluice.worker.stream.MessageStream;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The parts that all of one worker share. */
public record WorkerContext(
        MessageStream stream,
        StreamKind kind,
        int replicas,
        WorkerSettings settings,
        WorkerCounters counters,
        WorkerListener listener,
        Problems problems,
        WorkerLoops loops,
        ServerTrouble trouble,
        Clockwork clockwork,
        InstantSource wallClock,
        Supplier<PartitionMap> directory,
        Supplier<ConsumerMode> modes,
        BooleanSupplier paused) {
    /** How many times max_ack_pending a lane may be behind the others when it joins their consumer. */
    private static final int NEAR_HEAD = 10;

    PartitionMap partitions() {
        return directory.get();
    }

    /** The present consumer mode of the group; {@code settings().consumers()} is only the configured one. */
    ConsumerMode mode() {
        return modes.get();
    }

    public boolean isPaused() {
        return paused.getAsBoolean();
    }

    /** Whether a lane is not too far behind to share a consumer with others, the furthest of which is at this sequence. */
    public boolean isNear(Lane lane, long head) {
        return head - lane.coverage() <= NEAR_HEAD * (long) settings.maxAckPending();
    }

    /** Whether a lane may get another reader: what it has queued then comes twice, or is in the way of other lanes. */
    boolean hasShortQueue(Lane lane) {
        return lane.size() <= Math.max(1, settings.maxAckPending() / 4) / 2;
    }
}

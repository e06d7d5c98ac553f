package dev.sluice.worker.consume;

import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.lane.LaneRunner;
import java.time.Duration;
import java.util.List;

/**
 * Moves lanes from the consumers they share to consumers of their own, a few with each step, when the group changes to one
 * consumer per partition. {@link Joining} is the way back.
 */
final class Splitting {
    /** Bounds the calls of one step, and on a work queue the partitions that are without a consumer at a time. */
    static final int LANES_AT_A_TIME = 8;

    private final WorkerContext context;
    private final Readers readers;
    private final ConsumerSpecs specs;
    private final GapCheck gaps;
    /** Its pauses after failures; a success allows the next step at once. */
    private final UpdatePace pace;

    Splitting(WorkerContext context, Readers readers, ConsumerSpecs specs, GapCheck gaps) {
        this.context = context;
        this.readers = readers;
        this.specs = specs;
        this.gaps = gaps;
        this.pace = new UpdatePace(Duration.ZERO, context.clockwork().nanos(), specs.jitterSeed());
    }

    void split() {
        if (context.mode() != ConsumerMode.PER_PARTITION
                || context.isPaused()
                || context.trouble().lasts()
                || !pace.isDue(context.clockwork().nanos())) {
            return;
        }
        List<LaneRunner> sharing = sharing();
        if (sharing.isEmpty()) {
            return;
        }
        boolean done = false;
        try {
            done = context.kind().overlaps() ? openOwn(sharing) : letGo(sharing);
        } finally {
            pace.ended(done, context.clockwork().nanos());
        }
    }

    /** Lanes that a durable consumer feeds, or a catch-up reader together with others. */
    List<LaneRunner> sharing() {
        return readers.all().stream()
                .filter(Reader::isShared)
                .flatMap(reader -> reader.lanes().stream())
                .filter(lane -> lane.lane().isFed() && !lane.lane().isStopped())
                .toList();
    }

    /** The new consumer exists before the lane leaves the one it shares. False when one could not be created. */
    private boolean openOwn(List<LaneRunner> sharing) {
        List<LaneRunner> few = sharing.stream().limit(LANES_AT_A_TIME).toList();
        List<LaneRunner> movable = gaps.movable(few, readers);
        return !movable.isEmpty() && movable.stream().allMatch(this::openOwn);
    }

    private boolean openOwn(LaneRunner lane) {
        List<LaneRunner> alone = List.of(lane);
        long start = readers.startOf(alone);
        return readers.openCatchUp(specs.catchUp(readers.filters(alone), start), start, alone);
    }

    /**
     * On a work queue the shared consumer lets go first: {@link Leaving} takes the filter out, then {@link UnfedLanes} gives
     * the lane a consumer of its own. The stream keeps the messages meanwhile.
     */
    private boolean letGo(List<LaneRunner> sharing) {
        sharing.stream().limit(Math.max(0, LANES_AT_A_TIME - unfed())).forEach(readers::detach);
        return true;
    }

    private long unfed() {
        return readers.lanes().stream()
                .map(LaneRunner::lane)
                .filter(lane -> !lane.isFed() && !lane.isStopped() && !lane.isComplete() && !gaps.isStopped(lane))
                .count();
    }
}

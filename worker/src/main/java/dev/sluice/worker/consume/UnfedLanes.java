package dev.sluice.worker.consume;

import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.lane.Lane;
import dev.sluice.worker.lane.LaneRunner;
import dev.sluice.worker.stream.StreamRefusedException;
import dev.sluice.worker.stream.StreamState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;

/** Gives catch-up readers to lanes that no reader feeds: new ones, and those whose reader broke or was needed by others. */
final class UnfedLanes {
    /** Consumers for 500 partitions, one after the other, took 2.5 to 7 s on a busy machine. */
    private static final int CREATIONS_AT_A_TIME = 8;

    /** Behind by more than so many times max_ack_pending of the stream's messages, a lane has a backlog. */
    private static final long BACKLOG_BATCHES = 10;

    private final WorkerContext context;
    private final Readers readers;
    private final ConsumerSpecs specs;
    private final GapCheck gaps;
    private final ParallelCalls creations;
    private int feedFrom;

    UnfedLanes(WorkerContext context, Readers readers, ConsumerSpecs specs, GapCheck gaps) {
        this.context = context;
        this.readers = readers;
        this.specs = specs;
        this.gaps = gaps;
        this.creations = new ParallelCalls(context.clockwork(), CREATIONS_AT_A_TIME);
    }

    /** Gives a catch-up reader to every lane that has none; false when the server gave no answer. */
    boolean feed() {
        List<LaneRunner> unfed =
                readers.lanes().stream().filter(this::wantsFeed).toList();
        if (unfed.isEmpty() || context.isPaused()) {
            return true;
        }
        StreamState state = context.stream().state();
        List<LaneRunner> ready =
                unfed.stream().filter(lane -> gaps.passes(lane.lane(), state)).toList();
        List<List<LaneRunner>> groups = new ArrayList<>(groups(ready, state.last()));
        // Behind the group that gave no answer the last time: it must not keep the others waiting for ever.
        Collections.rotate(groups, -feedFrom);
        List<BooleanSupplier> calls = new ArrayList<>();
        groups.forEach(group -> calls.add(() -> catchUp(group)));
        // For the case that it throws.
        feedFrom++;
        OptionalInt begun = creations.run("worker-creates", calls);
        feedFrom = begun.isEmpty() ? 0 : feedFrom - 1 + begun.getAsInt();
        return begun.isEmpty();
    }

    private boolean wantsFeed(LaneRunner runner) {
        Lane lane = runner.lane();
        // Elsewhere the next consumer delivers what is queued again, and takes it off the one before.
        boolean hasRoom = context.kind() != StreamKind.LIMITS || context.hasShortQueue(lane);
        return !lane.isFed() && !lane.isStopped() && hasRoom && !lane.isComplete();
    }

    /**
     * Few lanes with a backlog get a reader each: with several filters the server searches all subjects of a block for
     * every message (measured: 330 µs against 24 µs with 2,000 subjects).
     *
     * @param last the last sequence of the stream
     */
    private List<List<LaneRunner>> groups(List<LaneRunner> ready, long last) {
        if (ready.isEmpty()) {
            return List.of();
        }
        boolean backlog = last - readers.startOf(ready) > context.settings().maxAckPending() * BACKLOG_BATCHES;
        boolean shared = context.mode() == ConsumerMode.PER_WORKER
                && context.kind().overlaps()
                && !(backlog && ready.size() <= NearCursors.MOST_GROUPS);
        if (!shared) {
            return ready.stream().map(List::of).toList();
        }
        // Those that wait for their handlers or for dead letters would be in the way of the others again.
        List<List<LaneRunner>> groups = new ArrayList<>();
        for (boolean waiting : new boolean[] {false, true}) {
            List<LaneRunner> together =
                    ready.stream().filter(lane -> lane.isWaiting() == waiting).toList();
            if (!together.isEmpty()) {
                groups.addAll(NearCursors.groups(together, context.settings().maxAckPending()));
            }
        }
        return groups;
    }

    /** False when the server gave no answer. */
    private boolean catchUp(List<LaneRunner> group) {
        long start = readers.startOf(group);
        try {
            return readers.openCatchUp(specs.catchUp(readers.filters(group), start), start, group);
        } catch (StreamRefusedException overlap) {
            readers.refused();
            return true;
        }
    }
}

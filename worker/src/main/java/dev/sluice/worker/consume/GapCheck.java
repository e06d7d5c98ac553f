package dev.sluice.worker.consume;

import dev.sluice.worker.WorkerSettings.OnGap;
import dev.sluice.worker.lane.Lane;
import dev.sluice.worker.lane.LaneRunner;
import dev.sluice.worker.stream.StreamState;
import dev.sluice.worker.stream.StreamUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Compares cursors with the stream before a partition is read: messages behind the cursor may be gone, or the stream may be
 * another one of the same name. JetStream itself moves a start silently.
 */
final class GapCheck {
    private final WorkerContext context;
    private final Set<Integer> stopped = ConcurrentHashMap.newKeySet();

    GapCheck(WorkerContext context) {
        this.context = context;
    }

    /** Whether the lane may be read now. A lane that was never read is given this stream's identity. */
    boolean passes(Lane lane, StreamState state) {
        long created = state.created().toEpochMilli();
        if (lane.isFresh()) {
            begin(lane, state, created);
        }
        String gap = gap(lane, state, created);
        String key = "gap-" + lane.partition().index();
        if (gap == null) {
            stopped.remove(lane.partition().index());
            context.problems().clear(key);
            return true;
        }
        boolean known = !stopped.add(lane.partition().index());
        if (!known) {
            context.counters().gaps.increment();
        }
        if (context.settings().onGap() == OnGap.STOP) {
            context.problems()
                    .report(
                            key,
                            gap
                                    + " The partition is stopped (on_gap: stop): set on_gap: continue and restart to go on at the first message there is.");
            return false;
        }
        context.problems().report(key, gap + " It goes on at the first message there is (on_gap: continue).");
        lane.restartAfter(
                created, isOtherStream(lane, created) || lane.coverage() > state.last() ? 0 : state.first() - 1);
        stopped.remove(lane.partition().index());
        return true;
    }

    /** No worker has handled the partition: messages that the stream's limits removed before are no gap. */
    private void begin(Lane lane, StreamState state, long created) {
        boolean otherStream = lane.stream() != 0 && isOtherStream(lane, created);
        long after = otherStream ? 0 : lane.coverage();
        boolean limits = context.kind() == StreamKind.LIMITS;
        lane.restartAfter(created, limits && after > 0 ? Math.max(after, state.first() - 1) : after);
    }

    private static boolean isOtherStream(Lane lane, long created) {
        return lane.stream() != created;
    }

    private @Nullable String gap(Lane lane, StreamState state, long created) {
        String partition = "Partition " + lane.partition().id() + " of stream " + state.name() + ": ";
        if (isOtherStream(lane, created)) {
            return partition
                    + "the stream was deleted and made again since its cursor was written, or workers of this group read"
                    + " different streams; messages may be lost.";
        }
        if (lane.coverage() > state.last()) {
            return partition + "its cursor " + lane.coverage() + " is beyond the stream's last message " + state.last()
                    + "; the stream has lost messages.";
        }
        boolean limits = context.kind() == StreamKind.LIMITS;
        if (limits && lane.coverage() > 0 && lane.coverage() + 1 < state.first()) {
            return partition + "messages " + (lane.coverage() + 1) + " to " + (state.first() - 1)
                    + " were removed by the stream's limits before they were read.";
        }
        return null;
    }

    /**
     * Of lanes that are fed, those that may get another consumer now. A lane that has read another stream of that name, or
     * further than the stream goes now, leaves its consumer: it is looked at as one that is not fed. None when the server gives
     * no answer.
     */
    List<LaneRunner> movable(List<LaneRunner> fed, Readers readers) {
        // Before the stream's state: what comes in between is no sign of a lost message.
        List<Long> coverages =
                fed.stream().map(runner -> runner.lane().coverage()).toList();
        List<LaneRunner> movable = new ArrayList<>();
        StreamState state;
        try {
            state = context.stream().state();
        } catch (StreamUnavailableException unknown) {
            return movable;
        }
        for (int i = 0; i < fed.size(); i++) {
            LaneRunner runner = fed.get(i);
            boolean same = !isOtherStream(runner.lane(), state.created().toEpochMilli());
            if (same && coverages.get(i) <= state.last()) {
                movable.add(runner);
            } else {
                readers.detach(runner);
            }
        }
        return movable;
    }

    boolean isStopped(Lane lane) {
        return stopped.contains(lane.partition().index());
    }

    void forget(Lane lane) {
        stopped.remove(lane.partition().index());
        context.problems().clear("gap-" + lane.partition().index());
    }
}

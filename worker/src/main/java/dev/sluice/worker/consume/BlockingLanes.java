package dev.sluice.worker.consume;

import dev.sluice.worker.lane.LaneRunner;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** Detaches lanes whose queue is stuck from consumers that other lanes need: they get a catch-up reader of their own. */
final class BlockingLanes {
    private static final long FULL_FOR_NANOS = Duration.ofMillis(500).toNanos();
    private static final long QUIET_AFTER_BLOCKING_NANOS = Duration.ofSeconds(5).toNanos();

    private final WorkerContext context;
    private final Readers readers;
    private final Map<Integer, Long> blockedAt = new HashMap<>();

    BlockingLanes(WorkerContext context, Readers readers) {
        this.context = context;
        this.readers = readers;
    }

    void detach() {
        if (!context.isPaused()) {
            readers.all().forEach(this::detachFrom);
        }
    }

    private void detachFrom(Reader reader) {
        long now = context.clockwork().nanos();
        Collection<LaneRunner> fed = reader.lanes();
        boolean others = !fed.stream().allMatch(LaneRunner::isWaiting);
        int left = fed.size();
        for (LaneRunner lane : fed) {
            boolean shared = others && left > 1;
            if (shared && lane.lane().isBlockingFor(isBlocking(reader, lane), FULL_FOR_NANOS, now)) {
                left--;
                blockedAt.put(lane.lane().partition().index(), now);
                reader.detach(lane);
                if (context.kind().acksStrays()) {
                    lane.lane().settleEarly();
                }
            }
        }
    }

    /** While the reader has room, a long queue does not delay other lanes. */
    private static boolean isBlocking(Reader reader, LaneRunner lane) {
        if (!reader.isFull()) {
            return false;
        }
        int queued = lane.lane().size();
        return queued > 0 && (lane.isWaiting() || queued > reader.shareOfALane());
    }

    /** Whether the lane was detached a moment ago: otherwise it would leave and join again with each burst. */
    boolean hasBlocked(LaneRunner lane) {
        Long at = blockedAt.get(lane.lane().partition().index());
        return at != null && context.clockwork().nanos() - at < QUIET_AFTER_BLOCKING_NANOS;
    }
}

package dev.sluice.stream;

import dev.sluice.log.LogReader;
import dev.sluice.model.EventId;
import dev.sluice.model.ProgressMarker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All backends' events for one consumer, from where it left off: each backend strictly in order, across backends by
 * cluster time as far as both have something at hand. It has no thread and no clock; whoever owns it steps it, one thread
 * at a time, and waits for a commit or for the consumer in between. Between two steps it holds a position per backend and
 * at most one read's worth of events, which {@link #release} lets go of.
 *
 * <p>A step is all or nothing: after anything that {@link #step} threw, the positions may be ahead of what the sink took.
 * Such a stream refuses every further step; its owner closes it, and the consumer opens another from the last marker it was
 * given.
 */
public final class EventStream implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventStream.class);

    private final List<BackendCursor> cursors = new ArrayList<>();
    private final Merge merge;
    private final MarkerText marker;
    private @Nullable Throwable failure;

    /**
     * @param windows where catch-up windows take their memory from, shared by all streams
     * @param nanos elapsed time, as for {@link #step}
     */
    public EventStream(
            SortedMap<String, LogReader> backends,
            StreamRequest request,
            StreamLimits limits,
            WindowBudget windows,
            long nanos) {
        warnOfUnknown(backends, request);
        backends.forEach((name, log) -> cursors.add(new BackendCursor(name, log, request, limits, windows, nanos)));
        merge = new Merge(cursors);
        marker = new MarkerText(
                List.copyOf(backends.keySet()),
                cursors.stream().map(BackendCursor::passed).toList());
    }

    private static void warnOfUnknown(Map<String, LogReader> backends, StreamRequest request) {
        ProgressMarker after = request.after();
        if (after != null && !backends.keySet().containsAll(after.positions().keySet())) {
            List<String> unknown = after.positions().keySet().stream()
                    .filter(name -> !backends.containsKey(name))
                    .toList();
            LOG.warn(
                    "Consumer '{}' brings positions of backends that are not here, ignored: {}",
                    request.label(),
                    unknown);
        }
    }

    /** Lays out the next events, at most so many and (except for a single big one) about so many bytes. */
    public Step step(EventSink sink, int maxEvents, long maxBytes, long nanos) {
        requireSound();
        try {
            return layOut(sink, maxEvents, maxBytes, nanos);
        } catch (Throwable broken) {
            failure = broken;
            throw broken;
        }
    }

    private void requireSound() {
        if (failure != null) {
            throw new IllegalStateException(
                    "This stream failed in an earlier step and may have passed events that were never sent: close it, and"
                            + " open another from the last marker that was sent.",
                    failure);
        }
    }

    private Step layOut(EventSink sink, int maxEvents, long maxBytes, long nanos) {
        merge.begin();
        int sent = 0;
        int next = 0;
        while (sent < maxEvents && sink.bytes() < maxBytes && (next = merge.next(nanos)) >= 0) {
            cursors.get(next).send(next, marker, sink);
            sent++;
        }
        catchUpMarker();
        return outcome(sent);
    }

    /** The marker also moves past what the consumer did not want. */
    private void catchUpMarker() {
        for (int k = 0; k < cursors.size(); k++) {
            marker.move(k, cursors.get(k).passed());
        }
    }

    /** A backend that cannot go on ends the stream even while others have events: the consumer must learn of it. */
    private Step outcome(int sent) {
        BackendCursor evicted = merge.any(BackendCursor.Fill.EVICTED);
        if (evicted != null) {
            return new Step.OutOfRange(evicted.backend(), oldestMarker());
        }
        BackendCursor ahead = merge.any(BackendCursor.Fill.AHEAD_TOO_LONG);
        if (ahead != null) {
            return new Step.TooFarAhead(ahead.backend());
        }
        if (sent > 0) {
            return new Step.Sent(sent);
        }
        return merge.any(BackendCursor.Fill.WORKING) != null ? new Step.Working() : new Step.Waiting();
    }

    private String oldestMarker() {
        TreeMap<String, EventId> positions = new TreeMap<>();
        cursors.forEach(cursor -> positions.put(cursor.backend(), cursor.resumable()));
        return new ProgressMarker(positions).encode();
    }

    /** One heartbeat per backend. */
    public void heartbeats(EventSink sink) {
        requireSound();
        for (BackendCursor cursor : cursors) {
            sink.heartbeat(cursor.backend(), cursor.passedThrough(), marker);
        }
    }

    /**
     * Where the consumer could go on now: everything before it has been laid out, or was not wanted. Not after a step that
     * threw.
     */
    public MarkerText marker() {
        return marker;
    }

    /** Of a stream of one log: its position. Not after a step that threw. */
    public LogProgress progress() {
        return cursors.getFirst().progress();
    }

    /** The consumer does not take anything for now: keep the positions only. */
    public void release() {
        cursors.forEach(BackendCursor::release);
    }

    /** The consumer stands still: keep next to nothing, at the price of reading it again. */
    public void pause() {
        cursors.forEach(BackendCursor::pause);
    }

    /** Gives back what it took of the shared memory. */
    @Override
    public void close() {
        cursors.forEach(BackendCursor::close);
    }

    /** Whether there is something in the logs that this stream has not passed. */
    public boolean behind() {
        return cursors.stream().anyMatch(BackendCursor::behind);
    }

    public boolean coalescing() {
        return cursors.stream().anyMatch(BackendCursor::coalescing);
    }

    /** Where the stream stands in each backend. */
    public List<BackendPosition> positions(long nanos) {
        return cursors.stream().map(cursor -> cursor.standing(nanos)).toList();
    }
}

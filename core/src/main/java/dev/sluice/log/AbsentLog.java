package dev.sluice.log;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stands for a log that could not be opened, so that a merged stream goes on without it and forgets nothing: to readers it
 * is a log that has not begun yet. A consumer keeps the place it brought, unchanged, and goes on from there once the log is
 * back. One that brought none for this backend gets a place that the log, when it is back, either reaches or refuses
 * aloud: from now on by this machine's clock, less a margin for the source's, or its very beginning.
 */
public final class AbsentLog implements EventLog {
    private static final Duration CLOCKS_DIFFER = Duration.ofMinutes(1);
    /** Older than whatever a log has: it never passes for a log's own beginning. */
    private static final LogPoint BEGINNING = LogPoint.unstarted(0);

    private final String reason;
    private final InstantSource clock;

    /** @param reason why it is absent and what to do */
    public AbsentLog(String reason, InstantSource clock) {
        this.reason = reason;
        this.clock = clock;
    }

    public LogReader reader() {
        return new LogReader(this, new LiveTail(LogPosition.START, 1, 1));
    }

    @Override
    public Appended append(List<EventRecord> records, @Nullable Checkpoint checkpoint) {
        throw new LogUnavailableException(reason, null);
    }

    @Override
    public LogRead read(LogPosition after, int maxEvents, long maxBytes) {
        return new LogRead.Entries(List.of(), after);
    }

    @Override
    public Located locate(EventId id) {
        return new Located.At(LogPosition.START);
    }

    @Override
    public LogState state() {
        long about = clock.instant().minus(CLOCKS_DIFFER).getEpochSecond();
        EventId now = new EventId(ClusterTime.of(about, 0), 0);
        return new LogState(0, new LogPoint(LogPosition.START, now), BEGINNING, null, 0, 0);
    }

    @Override
    public List<Segment> segments() {
        return List.of();
    }

    @Override
    public Eviction evict(ClusterTime through) {
        return Eviction.NOTHING;
    }

    @Override
    public void close() {}
}

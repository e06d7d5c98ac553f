package dev.sluice.testkit.contract;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.Appended;
import dev.sluice.log.EventLog;
import dev.sluice.log.EventRecord;
import dev.sluice.log.Eviction;
import dev.sluice.log.Located;
import dev.sluice.log.LogPosition;
import dev.sluice.log.LogRead;
import dev.sluice.log.LogState;
import dev.sluice.log.Segment;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A log of which one read fails with an Error, when told to. */
public final class FailingReads implements EventLog {
    private static final int NEVER = -1;

    private final EventLog log;
    private final AtomicInteger left = new AtomicInteger(NEVER);

    public FailingReads(EventLog log) {
        this.log = log;
    }

    /** So many reads succeed, the one after them fails, the others succeed again. */
    public void failAfter(int reads) {
        left.set(reads);
    }

    @Override
    public LogRead read(LogPosition after, int maxEvents, long maxBytes) {
        if (left.getAndUpdate(now -> now == NEVER ? NEVER : now - 1) == 0) {
            throw new LinkageError("on purpose");
        }
        return log.read(after, maxEvents, maxBytes);
    }

    @Override
    public Appended append(List<EventRecord> records, @Nullable Checkpoint checkpoint) {
        return log.append(records, checkpoint);
    }

    @Override
    public Located locate(EventId id) {
        return log.locate(id);
    }

    @Override
    public LogState state() {
        return log.state();
    }

    @Override
    public List<Segment> segments() {
        return log.segments();
    }

    @Override
    public Eviction evict(ClusterTime through) {
        return log.evict(through);
    }

    @Override
    public void close() {
        log.close();
    }
}

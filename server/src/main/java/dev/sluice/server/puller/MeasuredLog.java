package dev.sluice.server.puller;

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
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An event log that notes how long its appends take which carry a checkpoint. */
record MeasuredLog(EventLog log, Timer checkpoints) implements EventLog {

    @Override
    public Appended append(List<EventRecord> records, @Nullable Checkpoint checkpoint) {
        var began = System.nanoTime();
        var appended = log.append(records, checkpoint);
        if (checkpoint != null) {
            checkpoints.record(System.nanoTime() - began, TimeUnit.NANOSECONDS);
        }
        return appended;
    }

    @Override
    public LogRead read(LogPosition after, int maxEvents, long maxBytes) {
        return log.read(after, maxEvents, maxBytes);
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

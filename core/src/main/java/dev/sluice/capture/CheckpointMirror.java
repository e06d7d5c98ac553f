package dev.sluice.capture;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.checkpoint.CheckpointException;
import dev.sluice.checkpoint.CheckpointStore;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Copies the log's checkpoint to a store outside of this machine, so that a lost disk resumes. It reads what the log has
 * committed, so the mirror is never ahead of the log; it runs beside capture, so a store that is away costs nothing but
 * a counter and a log line.
 */
public final class CheckpointMirror {
    private static final Duration LOOK = Duration.ofMillis(100);

    private final CheckpointStore store;
    private final CheckpointPolicy policy;
    private final Supplier<@Nullable Checkpoint> committed;
    private final LongSupplier nanos;
    private final CaptureState state;
    private final CaptureJournal journal;
    private @Nullable Checkpoint saved;
    private long triedAt;
    private long eventsThen;

    /** @param committed the log's own checkpoint */
    public CheckpointMirror(
            CheckpointStore store,
            CheckpointPolicy policy,
            Supplier<@Nullable Checkpoint> committed,
            CaptureState state,
            LongSupplier nanos) {
        this.store = store;
        this.policy = policy;
        this.committed = committed;
        this.state = state;
        this.journal = new CaptureJournal(state);
        this.nanos = nanos;
        this.triedAt = nanos.getAsLong() - policy.interval().toNanos();
    }

    /** Saves if it is due. Returns how long to wait until it may be again. */
    public Duration step() {
        long now = nanos.getAsLong();
        if (policy.isDue(now - triedAt, state.counters().eventsIngested() - eventsThen)) {
            save();
            triedAt = nanos.getAsLong();
            eventsThen = state.counters().eventsIngested();
        }
        return LOOK.compareTo(policy.interval()) < 0 ? LOOK : policy.interval().plusMillis(1);
    }

    /** Saves what is new, now. */
    public void save() {
        Checkpoint current = committed.get();
        if (current == null || current.equals(saved)) {
            return;
        }
        try {
            store.save(state.backend(), current);
            saved = current;
            journal.tokenSubmitted(current);
        } catch (CheckpointException failed) {
            journal.mirrorFailed(String.valueOf(failed.getMessage()));
        }
    }
}

package dev.sluice.capture;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.checkpoint.CheckpointException;
import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.log.LogState;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Copies the log's checkpoint to a store outside of this machine, so that a lost disk resumes. It reads what the log has
 * committed, so the mirror is never ahead of the log; it runs beside capture, so a store that is away costs nothing but
 * a counter and a log line.
 *
 * <p>While no events come only the position moves, and a mirror in the watched deployment moves it by its own writes. So
 * an idle position is mirrored once a minute, which is soon enough for any oplog. The minute is this machine's: behind a
 * router the token moves while its time stands still.
 */
public final class CheckpointMirror {
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final Duration IDLE = Duration.ofMinutes(1);

    private final CheckpointStore store;
    private final CheckpointPolicy policy;
    private final Supplier<LogState> log;
    private final LongSupplier nanos;
    private final CaptureState state;
    private final CaptureJournal journal;
    private volatile boolean away;
    private @Nullable LogState saved;
    private long savedAt;
    private long triedAt;
    private long eventsThen;

    /** @param log what it has committed */
    public CheckpointMirror(
            CheckpointStore store,
            CheckpointPolicy policy,
            Supplier<LogState> log,
            CaptureState state,
            LongSupplier nanos) {
        this.store = store;
        this.policy = policy;
        this.log = log;
        this.state = state;
        this.journal = new CaptureJournal(state);
        this.nanos = nanos;
        this.triedAt = nanos.getAsLong() - policy.interval().toNanos();
    }

    /** Saves if it is due. Returns how long to wait until it may be again. */
    public Duration step() {
        long now = nanos.getAsLong();
        boolean due = policy.isDue(now - triedAt, state.counters().eventsIngested() - eventsThen);
        LogState current = log.get();
        if (due && isNews(current, now)) {
            save(current);
            triedAt = nanos.getAsLong();
            eventsThen = state.counters().eventsIngested();
        }
        return LOOK.compareTo(policy.interval()) < 0 ? LOOK : policy.interval().plusMillis(1);
    }

    private boolean isNews(LogState current, long now) {
        return saved == null || !saved.head().equals(current.head()) || now - savedAt >= IDLE.toNanos();
    }

    /** Saves the last position when capture stops, an idle one too, unless the store is away: a stop does not wait for it. */
    public void saveLast() {
        if (!away) {
            save(log.get());
        }
    }

    /** Whether the last attempt to save failed. */
    boolean isAway() {
        return away;
    }

    /** Whatever a store throws is counted and said: nothing may end the mirror for good. */
    private void save(LogState current) {
        Checkpoint reached = current.checkpoint();
        if (reached == null || (saved != null && reached.equals(saved.checkpoint()))) {
            return;
        }
        try {
            store.save(state.backend(), reached);
            away = false;
            saved = current;
            savedAt = nanos.getAsLong();
            journal.tokenSubmitted(reached);
        } catch (CheckpointException failed) {
            away = true;
            journal.mirrorFailed(String.valueOf(failed.getMessage()));
        } catch (RuntimeException unexpected) {
            away = true;
            journal.mirrorFailed(unexpected.toString());
        }
    }
}

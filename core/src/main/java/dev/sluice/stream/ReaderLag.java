package dev.sluice.stream;

import dev.sluice.log.LogReader;
import dev.sluice.log.LogState;
import dev.sluice.model.EventId;
import java.time.Duration;

/** Lag of one reader in one backend's log, as operators see it. For one thread at a time. */
public final class ReaderLag {
    private final String backend;
    private final LogReader log;
    private final OvertakeForecast forecast;

    /** @param retention how long the log keeps events, to foresee when it overtakes the reader */
    public ReaderLag(String backend, LogReader log, Duration retention) {
        this.backend = backend;
        this.log = log;
        this.forecast = new OvertakeForecast(retention);
    }

    /**
     * Returns the lag of a reader that has passed this event.
     *
     * @param eventsBehind about how many events it has not read; 0 at the head
     * @param nanos elapsed time; speeds are measured between calls
     */
    public BackendPosition of(EventId passed, long eventsBehind, long nanos) {
        LogState state = log.state();
        long captured =
                eventsBehind == 0 ? passed.time().t() : state.capturedThrough().t();
        return new BackendPosition(
                backend,
                passed,
                eventsBehind,
                Math.max(0, captured - passed.time().t()),
                forecast.update(
                        nanos,
                        passed.time().t(),
                        state.evictedThrough().id().time().t(),
                        captured));
    }
}

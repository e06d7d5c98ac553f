package dev.sluice.capture;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.ClusterTime;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * One backend's committed changes, in order, resumable.
 *
 * <ul>
 *   <li><b>Complete.</b> From a start point on, every change that passes the filter comes, in commit order, each with an
 *       id that is the same on every reading. Control events (drop, rename, invalidate) pass every filter.
 *   <li><b>Resumable.</b> A stream opened {@link StartPoint.After} a position continues directly behind it; one opened
 *       {@link StartPoint.At} a time repeats that whole time. If that is not possible any more it says so; it never
 *       starts elsewhere.
 *   <li><b>Waits only for a source that works.</b> A call may take as long as the source works on its reply, minutes for a
 *       resume over a long stretch that the filter rejects; {@link #waiting} tells for how long it already does. A source
 *       that cannot be reached fails the call within the source's own time limits.
 *   <li><b>Failures are values</b> in {@link SourceException#failure}; anything else thrown is a bug.
 * </ul>
 *
 * <p>Used by one thread; {@link #waiting}, {@link #stopWaiting} and {@link #close} may come from another.
 */
public interface ChangeSource extends AutoCloseable {
    /** Opens a stream; when it returns, the source has accepted the start point. */
    ChangeCursor open(StartPoint from) throws SourceException;

    /** The oldest cluster time from which a stream can still be opened, as far as the source knows. */
    ClusterTime oldest() throws SourceException;

    /** A fingerprint of the filter that streams are opened with; {@link Checkpoint#UNKNOWN_FILTER} if there is none. */
    default long filter() {
        return Checkpoint.UNKNOWN_FILTER;
    }

    /** For how long the call under way has been waiting for the source's reply; zero when none does. */
    default Duration waiting() {
        return Duration.ZERO;
    }

    /**
     * Registers the listener for causes: it is told why the source cannot be reached while a call still tries, so that an
     * operator learns it before the call's time limit. Called from any thread, perhaps repeatedly with one cause.
     */
    default void onUnreachable(Consumer<String> listener) {}

    /**
     * Makes calls that still wait, and all later ones, fail soon with {@link SourceFailure.Stopped}: for a shutdown. A reply
     * that arrives in its usual time is still returned.
     */
    default void stopWaiting() {}

    /** Ends the pause before the next look at the source: this process has just written to it. Any thread may call it. */
    default void wake() {}

    /** Frees everything. Closing twice is harmless. */
    @Override
    void close();
}

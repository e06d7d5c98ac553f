package dev.sluice.capture;

import dev.sluice.model.ClusterTime;

/**
 * One backend's committed changes, in order, resumable.
 *
 * <ul>
 *   <li><b>Complete.</b> From a start point on, every change that passes the filter comes, in commit order, each with an
 *       id that is the same on every reading. Control events (drop, rename, invalidate) pass every filter.
 *   <li><b>Resumable.</b> A stream opened {@link StartPoint.After} a position continues directly behind it; one opened
 *       {@link StartPoint.At} a time repeats that whole time. If that is not possible any more it says so; it never
 *       starts elsewhere.
 *   <li><b>Never blocks for long.</b> Every call returns or throws within the source's own time limits.
 *   <li><b>Failures are values</b> in {@link SourceException#failure}; anything else thrown is a bug.
 * </ul>
 *
 * <p>Used by one thread; {@link #close} may come from another.
 */
public interface ChangeSource extends AutoCloseable {
    /** Opens a stream; when it returns, the source has accepted the start point. */
    ChangeCursor open(StartPoint from) throws SourceException;

    /** The oldest cluster time from which a stream can still be opened, as far as the source knows. */
    ClusterTime oldest() throws SourceException;

    /** Frees everything. Closing twice is harmless. */
    @Override
    void close();
}

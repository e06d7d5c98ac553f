package dev.sluice.capture;

/** An open change stream. Used by one thread. */
public interface ChangeCursor extends AutoCloseable {
    /**
     * The next events, or none when nothing came within the source's waiting time. The first call returns at once, with
     * the position the stream was opened at.
     */
    SourceBatch next() throws SourceException;

    /** Ends the stream, also at the source, as far as it can be reached. Closing twice is harmless. */
    @Override
    void close();
}

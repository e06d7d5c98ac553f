package dev.sluice.server.outbox;

/** Nodes of the new kind that relay an outbox, as somebody sees them who rolls them out. */
interface NewNodes extends AutoCloseable {
    /**
     * Starts all, or restarts them one after the other, with these settings.
     *
     * @param oldLock {@code outbox.global_lock}; empty for none
     */
    void roll(int partitions, String oldLock) throws Exception;

    void stop() throws Exception;

    /** How many repeats their deaths may have made: the batch under way of each partition of each that died. */
    long repeatsAtMost();

    @Override
    void close() throws Exception;
}

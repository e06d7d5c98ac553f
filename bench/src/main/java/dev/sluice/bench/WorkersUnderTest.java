package dev.sluice.bench;

/** 25 workers, or as many bare loops, that handle the messages of a stream. */
interface WorkersUnderTest {
    /**
     * Connects, creates consumers and returns when all partitions are read.
     *
     * @param run never used before; part of the names of consumers
     */
    void start(String run) throws Exception;

    /** Closes the connections; no consumer is left on the stream. */
    void stop() throws Exception;
}

package dev.sluice.log;

/**
 * How much group commit holds and writes at once.
 *
 * @param batchEvents most events of one commit
 * @param batchBytes a commit takes no further event beyond this many bytes
 * @param queueEvents most events that wait; whoever brings more waits too
 * @param queueBytes most bytes that wait; one event may exceed it, alone
 */
public record GroupCommitLimits(int batchEvents, long batchBytes, int queueEvents, long queueBytes) {
    public GroupCommitLimits {
        if (batchEvents < 1 || batchBytes < 1 || queueEvents < batchEvents || queueBytes < 1) {
            throw new IllegalArgumentException("A batch needs room for one event, and the queue for one batch.");
        }
    }

    /** The bytes that go with these numbers of events: 16 MiB per batch, 64 MiB waiting. */
    public static GroupCommitLimits of(int batchEvents, int queueEvents) {
        return new GroupCommitLimits(batchEvents, 16L << 20, Math.max(batchEvents, queueEvents), 64L << 20);
    }
}

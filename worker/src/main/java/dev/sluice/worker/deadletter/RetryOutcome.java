package dev.sluice.worker.deadletter;

/** What became of the retry of a dead letter. */
public sealed interface RetryOutcome {
    /**
     * Published again and deleted here.
     *
     * @param sequence of the new message: it stands behind all others of its stream
     * @param repeated whether an earlier retry had published it already
     */
    record Retried(String subject, long sequence, boolean repeated) implements RetryOutcome {}

    /** There is no such letter. */
    record Missing() implements RetryOutcome {}

    /** Not published, or not deleted here; the letter is still there and the retry may be repeated. */
    record Failed(String reason) implements RetryOutcome {}
}

package dev.sluice.worker.deadletter;

import java.util.Arrays;

/** What became of a dead letter. Only after {@link Stored} or {@link AlreadyThere} may its message be passed over. */
public sealed interface PutOutcome {
    /** It is kept now. */
    record Stored() implements PutOutcome {}

    /** It was kept before, by this worker or another one. */
    record AlreadyThere() implements PutOutcome {}

    /** There is no room for it: delete or retry letters, or raise the limits that the reason names. */
    record Full(String reason) implements PutOutcome {}

    /** There was no answer, or there is no place to keep it. It may be kept, or not: put it again. */
    record Unavailable(String reason) implements PutOutcome {}

    PutOutcome STORED = new Stored();
    PutOutcome ALREADY_THERE = new AlreadyThere();

    /** A stream that has lost its last messages gives their sequences, and so the ids of their letters, to others. */
    static PutOutcome keptBefore(DeadLetter kept, DeadLetter put) {
        return Arrays.equals(kept.body(), put.body())
                ? ALREADY_THERE
                : new Full("dead letter " + put.id()
                        + " is of another message with the same sequence, which the stream has"
                        + " lost: retry or delete that letter");
    }

    /** Whether the letter is kept. */
    default boolean isKept() {
        return this instanceof Stored || this instanceof AlreadyThere;
    }
}

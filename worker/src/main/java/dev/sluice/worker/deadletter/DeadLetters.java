package dev.sluice.worker.deadletter;

import java.util.Optional;

/**
 * The dead letters of one group. A letter that is kept stays until a person deletes or retries it. Calls block, at most for
 * the request timeout; any thread may call. {@link #put} and {@link #retry} answer with a value; the other calls throw a
 * {@link dev.sluice.worker.stream.StreamUnavailableException} when there was no answer.
 */
public interface DeadLetters {
    /** Keeps a letter, once: a letter with the same id is left as it is. Never throws for what the outcome can say. */
    PutOutcome put(DeadLetter letter);

    /**
     * Lists letters in the order they were kept.
     *
     * @param after the position to continue behind, 0 for the first page, see {@link LetterPage#next}
     * @param limit 1 to 1,000
     */
    LetterPage list(long after, int limit);

    Optional<StoredLetter> show(LetterId id);

    /**
     * Publishes the message again, to its subject, and then deletes the letter. The message comes behind all others of its
     * partition: its order among them is lost. A retry that is repeated publishes nothing twice, within the duplicate window
     * of the stream.
     */
    RetryOutcome retry(LetterId id);

    /** Deletes a letter; false when there was none. */
    boolean delete(LetterId id);
}

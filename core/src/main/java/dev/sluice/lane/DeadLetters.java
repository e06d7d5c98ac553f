package dev.sluice.lane;

import dev.sluice.model.InvalidInputException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Keeps dead letters. Any thread may call. What cannot be done throws {@link DeadLettersException}, and is whole or not
 * done at all.
 */
public interface DeadLetters extends AutoCloseable {
    /**
     * They are safe when this returns; one that is there already gets the new reason, attempts and history, and keeps its
     * place and its time.
     */
    void store(List<DeadLetter> letters);

    /**
     * In the order they came, those behind the given id; the empty text: from the start. Fewer than asked for where they
     * are large; none only at the end.
     *
     * @throws InvalidInputException when the given one is not there any more
     */
    List<DeadLetter> list(String afterId, int limit);

    Optional<DeadLetter> find(String id);

    /** Returns whether it was there. */
    boolean delete(String id);

    /** Removes those stored before; returns how many. */
    int deleteBefore(Instant time);

    long count();

    @Override
    void close();
}

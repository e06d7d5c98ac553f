package dev.sluice.route;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Keeps dead letters. Any thread may call. */
public interface DeadLetters extends AutoCloseable {
    /** They are safe when this returns; one that is there already gets the new reason, attempts and history. */
    void store(List<DeadLetter> letters);

    /** The oldest first, those behind the given id; the empty text: from the start. */
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

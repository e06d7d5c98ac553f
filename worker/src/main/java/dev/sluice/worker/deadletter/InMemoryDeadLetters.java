package dev.sluice.worker.deadletter;

import dev.sluice.model.InvalidInputException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** Dead letters in the heap, for tests and simulations. */
public final class InMemoryDeadLetters implements DeadLetters {
    private final int capacity;
    private final Supplier<Instant> now;
    private final ToLongFunction<DeadLetter> publish;
    private final TreeMap<Long, StoredLetter> byPosition = new TreeMap<>();
    private final Map<LetterId, Long> positions = new HashMap<>();
    private long last;

    /**
     * @param capacity how many letters there is room for
     * @param publish stores a retried message in its stream; returns its new sequence
     */
    public InMemoryDeadLetters(int capacity, Supplier<Instant> now, ToLongFunction<DeadLetter> publish) {
        this.capacity = capacity;
        this.now = now;
        this.publish = publish;
    }

    @Override
    public synchronized PutOutcome put(DeadLetter letter) {
        Long kept = positions.get(letter.id());
        if (kept != null) {
            return PutOutcome.keptBefore(
                    Objects.requireNonNull(byPosition.get(kept)).letter(), letter);
        }
        if (positions.size() >= capacity) {
            return new PutOutcome.Full("there is room for " + capacity + " dead letters");
        }
        last++;
        positions.put(letter.id(), last);
        byPosition.put(last, new StoredLetter(letter, last, now.get()));
        return PutOutcome.STORED;
    }

    @Override
    public synchronized LetterPage list(long after, int limit) {
        if (limit < 1 || limit > 1_000) {
            throw new InvalidInputException("a page has 1 to 1000 dead letters, not " + limit);
        }
        List<LetterPage.Summary> letters = new ArrayList<>();
        long next = 0;
        for (StoredLetter stored : byPosition.tailMap(after, false).values()) {
            if (letters.size() == limit) {
                return new LetterPage(letters, next);
            }
            letters.add(LetterPage.Summary.of(stored));
            next = stored.position();
        }
        return new LetterPage(letters, 0);
    }

    @Override
    public synchronized Optional<StoredLetter> show(LetterId id) {
        return Optional.ofNullable(positions.get(id)).map(byPosition::get);
    }

    @Override
    public RetryOutcome retry(LetterId id) {
        Optional<StoredLetter> stored = show(id);
        if (stored.isEmpty()) {
            return new RetryOutcome.Missing();
        }
        DeadLetter letter = stored.get().letter();
        long sequence = publish.applyAsLong(letter);
        delete(id);
        return new RetryOutcome.Retried(letter.subject(), sequence, false);
    }

    @Override
    public synchronized boolean delete(LetterId id) {
        Long position = positions.remove(id);
        if (position == null) {
            return false;
        }
        byPosition.remove(position);
        return true;
    }
}

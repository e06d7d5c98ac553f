package dev.sluice.lane;

import dev.sluice.model.InvalidInputException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Dead letters that live as long as this object. */
public final class InMemoryDeadLetters implements DeadLetters {
    private final Map<String, DeadLetter> byId = new LinkedHashMap<>();

    @Override
    public synchronized void store(List<DeadLetter> letters) {
        letters.forEach(letter -> byId.merge(letter.id(), letter, InMemoryDeadLetters::again));
    }

    private static DeadLetter again(DeadLetter first, DeadLetter now) {
        return new DeadLetter(
                now.id(),
                now.gatewayId(),
                now.subscriptionId(),
                now.eventId(),
                now.type(),
                now.partition(),
                now.entry(),
                now.reason(),
                first.at(),
                now.attempts(),
                now.history(),
                now.standsFor());
    }

    @Override
    public synchronized List<DeadLetter> list(String afterId, int limit) {
        if (!afterId.isEmpty() && !byId.containsKey(afterId)) {
            throw new InvalidInputException("there is no dead letter " + InvalidInputException.quote(afterId)
                    + " (any more): list from the start");
        }
        return byId.values().stream()
                .dropWhile(letter -> !afterId.isEmpty() && !letter.id().equals(afterId))
                .skip(afterId.isEmpty() ? 0 : 1)
                .limit(limit)
                .toList();
    }

    @Override
    public synchronized Optional<DeadLetter> find(String id) {
        return Optional.ofNullable(byId.get(id));
    }

    @Override
    public synchronized boolean delete(String id) {
        return byId.remove(id) != null;
    }

    @Override
    public synchronized int deleteBefore(Instant time) {
        int before = byId.size();
        byId.values().removeIf(letter -> letter.at().isBefore(time));
        return before - byId.size();
    }

    @Override
    public synchronized long count() {
        return byId.size();
    }

    @Override
    public void close() {}
}

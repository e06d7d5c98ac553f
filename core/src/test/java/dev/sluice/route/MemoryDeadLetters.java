package dev.sluice.route;

import dev.sluice.lane.DeadLetter;
import dev.sluice.lane.DeadLetters;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Keeps them in memory; may be made to fail. */
final class MemoryDeadLetters implements DeadLetters {
    final Map<String, DeadLetter> byId = new LinkedHashMap<>();
    final Set<String> events = new HashSet<>();
    int failing;

    @Override
    public synchronized void store(List<DeadLetter> letters) {
        if (failing > 0) {
            failing--;
            throw new IllegalStateException("the disk is full");
        }
        letters.forEach(letter -> {
            byId.put(letter.id(), letter);
            events.add(letter.subscriptionId() + " " + letter.eventId());
        });
    }

    @Override
    public synchronized List<DeadLetter> list(String afterId, int limit) {
        return byId.values().stream().limit(limit).toList();
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
        return 0;
    }

    @Override
    public synchronized long count() {
        return byId.size();
    }

    @Override
    public void close() {}
}

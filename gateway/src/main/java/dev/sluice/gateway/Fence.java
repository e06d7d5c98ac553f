package dev.sluice.gateway;

import dev.sluice.model.FencingToken;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The newest token of each partition. Whoever comes with an older one has been replaced, and so has everybody of an
 * older generation, whatever the partition. Any thread may call.
 */
final class Fence {
    private final Map<Integer, FencingToken> newest = new HashMap<>();
    private long generation;

    /** Lets the whole batch in and learns its tokens, or says why none of it may enter. */
    synchronized Optional<String> admit(List<Incoming> batch) {
        for (Incoming incoming : batch) {
            if (isStale(incoming.partition(), incoming.token())) {
                return Optional.of(reason(incoming.partition(), incoming.token()));
            }
        }
        batch.forEach(incoming -> learn(incoming.partition(), incoming.token()));
        return Optional.empty();
    }

    private void learn(int partition, FencingToken token) {
        if (token.generation() > generation) {
            generation = token.generation();
            newest.clear();
        }
        newest.merge(partition, token, (known, shown) -> known.isOlderThan(shown) ? shown : known);
    }

    synchronized boolean isStale(int partition, FencingToken token) {
        FencingToken known = newest.get(partition);
        return token.generation() < generation || known != null && token.isOlderThan(known);
    }

    synchronized String reason(int partition, FencingToken token) {
        FencingToken known = newest.get(partition);
        return "partition " + partition + " has another owner: token " + token + " is older than "
                + (known == null ? "generation " + generation : known);
    }
}

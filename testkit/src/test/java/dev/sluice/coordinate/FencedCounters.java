package dev.sluice.coordinate;

import dev.sluice.model.FencingToken;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the users of partitions write to: one counter per partition, guarded by the token. It takes event n only after all
 * events before n (repeats are welcome), and never a token below one it has seen. What must not happen and it cannot
 * prevent, it reports: two writers with one token, and an event left out.
 */
final class FencedCounters {
    /** What the counter says to a write. */
    enum Outcome {
        ACCEPTED,
        STALE
    }

    private static final class Counter {
        private FencingToken highest = new FencingToken(0, 0);
        private @Nullable String writer;
        private long applied;
    }

    private record Which(long generation, int partition) implements Comparable<Which> {
        @Override
        public int compareTo(Which other) {
            return generation != other.generation
                    ? Long.compare(generation, other.generation)
                    : Integer.compare(partition, other.partition);
        }
    }

    private final Map<Which, Counter> counters = new TreeMap<>();
    private long accepted;
    private long stale;

    Outcome write(int partition, FencingToken token, String writer, long event, long start) {
        Counter counter = counters.computeIfAbsent(new Which(token.generation(), partition), which -> {
            Counter fresh = new Counter();
            fresh.applied = start;
            return fresh;
        });
        if (token.isOlderThan(counter.highest)) {
            stale++;
            return Outcome.STALE;
        }
        if (token.equals(counter.highest) && !writer.equals(counter.writer)) {
            throw new AssertionError("two writers with one token " + token + " of partition " + partition + ": "
                    + counter.writer + " and " + writer);
        }
        if (event > counter.applied + 1) {
            throw new AssertionError("event " + event + " of partition " + partition + " follows event "
                    + counter.applied + ": a position was past what was processed");
        }
        counter.highest = token;
        counter.writer = writer;
        counter.applied = Math.max(counter.applied, event);
        accepted++;
        return Outcome.ACCEPTED;
    }

    long applied(long generation, int partition) {
        Counter counter = counters.get(new Which(generation, partition));
        return counter == null ? 0 : counter.applied;
    }

    long accepted() {
        return accepted;
    }

    long stale() {
        return stale;
    }
}

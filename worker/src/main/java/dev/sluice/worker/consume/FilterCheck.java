package dev.sluice.worker.consume;

import dev.sluice.worker.stream.ConsumerState;
import dev.sluice.worker.stream.StreamUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Compares the filters of consumers that were changed with those the server has. A change that was answered late, or not at
 * all, may take effect after a later one: then a partition that moved away is in a filter again. On limits streams that costs
 * a few stray deliveries; elsewhere it keeps messages in the stream, or the next owner from its subject.
 */
final class FilterCheck {
    private static final long INTERVAL_NANOS = Duration.ofSeconds(10).toNanos();

    private final WorkerContext context;
    private final Readers readers;

    FilterCheck(WorkerContext context, Readers readers) {
        this.context = context;
        this.readers = readers;
    }

    void check() {
        if (context.kind() == StreamKind.LIMITS) {
            return;
        }
        for (Reader reader : readers.all()) {
            if (reader.mayCheckFilters(INTERVAL_NANOS) && !check(reader)) {
                return;
            }
        }
    }

    /** False when the server gave no answer: the others are asked later, too. */
    private boolean check(Reader reader) {
        try {
            Optional<ConsumerState> now = context.stream().consumers().info(reader.name());
            if (now.isEmpty()) {
                reader.broken("the server has deleted it");
            } else if (!reader.filters().equals(Set.copyOf(now.get().filters()))) {
                // They are changed again with the next look.
                reader.filters(now.get().filters());
            }
            return true;
        } catch (StreamUnavailableException e) {
            return false;
        }
    }
}

package dev.sluice.worker.consume;

import java.time.Duration;

/** Moves the cursors of idle partitions along: the stream grows, and they would fall behind what its limits remove. */
final class IdleCoverage {
    private static final long IDLE_FOR_NANOS = Duration.ofMinutes(1).toNanos();

    private final WorkerContext context;
    private final Readers readers;

    IdleCoverage(WorkerContext context, Readers readers) {
        this.context = context;
        this.readers = readers;
    }

    void coverIdle() {
        for (Reader reader : readers.all()) {
            if (reader.isIdleFor(IDLE_FOR_NANOS) && reader.unsettled() == 0) {
                cover(reader);
            }
        }
    }

    /** The stream's end is read first, then the last message of each filter: what is published meanwhile is above both. */
    void cover(Reader reader) {
        long last = context.stream().state().last();
        long coverage = reader.noted();
        boolean idle = reader.filters().stream()
                .allMatch(filter -> context.stream().lastOf(filter).orElse(0) <= coverage);
        reader.cover(idle ? last : coverage);
    }
}

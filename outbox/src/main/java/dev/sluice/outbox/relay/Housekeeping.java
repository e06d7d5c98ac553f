package dev.sluice.outbox.relay;

import dev.sluice.model.FencingToken;
import dev.sluice.outbox.table.Backlog;
import dev.sluice.outbox.table.Keeping;
import dev.sluice.outbox.table.OutboxDatabaseException;
import dev.sluice.outbox.table.OutboxTable;
import dev.sluice.outbox.table.Slice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What has to be done now and then: the owner of partition 0 gives rows of old writers their partition and clears old sent
 * rows away; everybody looks how much waits.
 */
final class Housekeeping implements AutoCloseable {
    private static final Duration LOOK = Duration.ofSeconds(5);
    /** Counting many rows takes long: it takes at most a fiftieth of the time. */
    private static final int REST = 50;

    private static final Duration ASSIGN = Duration.ofSeconds(1);
    private static final Duration CLEAN = Duration.ofSeconds(30);
    private static final int CHUNK = 1_000;

    private final String name;
    private final OutboxTable table;
    private final RelaySettings settings;
    private final RelayCounters counters;
    private final Supplier<Slice> slice;
    private final Supplier<Optional<FencingToken>> inCharge;
    private final Consumer<Backlog> counted;
    private final List<Repeating> tasks = new ArrayList<>();
    private volatile @Nullable Backlog backlog;

    /**
     * @param inCharge the token of partition 0, for its owner
     * @param counted told after each count of the pending rows
     */
    Housekeeping(
            String name,
            OutboxTable table,
            RelaySettings settings,
            RelayCounters counters,
            Supplier<Slice> slice,
            Supplier<Optional<FencingToken>> inCharge,
            Consumer<Backlog> counted) {
        this.name = name;
        this.table = table;
        this.settings = settings;
        this.counters = counters;
        this.slice = slice;
        this.inCharge = inCharge;
        this.counted = counted;
    }

    void start() {
        repeat("backlog", this::look);
        repeat("assign", this::assign);
        if (settings.keeping() == Keeping.KEEP) {
            repeat("clean", this::clean);
        }
    }

    private void repeat(String what, Repeating.Task task) {
        tasks.add(Repeating.start("outbox-" + name + '-' + what, () -> {
            try {
                return task.run();
            } catch (OutboxDatabaseException failed) {
                counters.databaseFailures.increment();
                throw failed;
            }
        }));
    }

    private Duration look() {
        long start = System.nanoTime();
        if (inCharge.get().isPresent()) {
            table.cleanParked();
        }
        Backlog now = table.backlog();
        backlog = now;
        counted.accept(now);
        Duration rest = Duration.ofNanos(System.nanoTime() - start).multipliedBy(REST);
        return rest.compareTo(LOOK) > 0 ? rest : LOOK;
    }

    private Duration assign() {
        Optional<FencingToken> token = inCharge.get();
        Slice known = slice.get();
        boolean more = token.isPresent()
                && !known.isAll()
                && table.assignPartitions(token.get(), known.total(), CHUNK) == CHUNK;
        return more ? Duration.ZERO : ASSIGN;
    }

    private Duration clean() {
        boolean more = inCharge.get().isPresent() && table.cleanSent(settings.keepFor(), CHUNK) == CHUNK;
        return more ? Duration.ZERO : CLEAN;
    }

    Optional<Backlog> backlog() {
        return Optional.ofNullable(backlog);
    }

    @Override
    public void close() {
        tasks.forEach(Repeating::close);
    }
}

package dev.sluice.worker.simulation;

import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.model.InvalidInputException;
import dev.sluice.testkit.simulation.Node;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.migrate.Migration;
import dev.sluice.worker.migrate.Migration.Phase;
import dev.sluice.worker.migrate.MigrationControl;
import dev.sluice.worker.migrate.MigrationLimits;
import dev.sluice.worker.stream.StreamUnavailableException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Changes the consumer mode of the group by migrations with short windows; aborts some, and forgets some that have ended. */
final class MigratingOperator {
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(8);

    static final String DONE = "migrations done";
    static final String ROLLED_BACK = "migrations rolled back by the leader";

    private final WorkerWorld world;
    private final Map<String, Long> tally;
    private long lastEnded;

    MigratingOperator(WorkerWorld world, Map<String, Long> tally, BooleanSupplier works) {
        this.world = world;
        this.tally = tally;
        world.simulation.node(
                "operator",
                self -> self.fiber("migrates", () -> {
                    while (works.getAsBoolean()) {
                        self.sleep(world.simulation.between(Duration.ZERO, LONGEST_PAUSE), "waits");
                        act(self);
                    }
                }));
    }

    private void act(Node self) {
        try {
            MigrationControl control = new MigrationControl(world.storeOf(self), WorkerWorld.PREFIX, self.clock());
            Optional<Migration> last = control.migration();
            if (last.isPresent() && last.get().isRunning()) {
                if (world.simulation.chance(0.2)) {
                    control.abort();
                    count("aborted migrations");
                }
            } else if (last.isPresent() && world.simulation.chance(0.2)) {
                ended(last.get());
                control.forget();
            } else {
                last.ifPresent(this::ended);
                ConsumerMode to = world.simulation.chance(0.5) ? ConsumerMode.PER_WORKER : ConsumerMode.PER_PARTITION;
                ConsumerMode from =
                        to == ConsumerMode.PER_WORKER ? ConsumerMode.PER_PARTITION : ConsumerMode.PER_WORKER;
                control.start(
                        from, to, 0, limits(), world.jetStream.connect(self).state());
                count("migrations");
            }
        } catch (StoreUnavailableException | StreamUnavailableException | InvalidInputException refused) {
            count("refused operations");
        }
    }

    /** Counted once, whatever becomes of the operation that follows. */
    private void ended(Migration migration) {
        if (migration.number() != lastEnded && !migration.reason().contains("aborted")) {
            count(migration.phase() == Phase.DONE ? DONE : ROLLED_BACK);
        }
        lastEnded = migration.number();
    }

    /** In some a window with little lag is bad already. */
    private MigrationLimits limits() {
        Duration window = world.simulation.between(Duration.ofMillis(500), Duration.ofSeconds(2));
        long maxLag = world.simulation.chance(0.3) ? 3 : 10_000;
        return new MigrationLimits(window, 1, 3, window.multipliedBy(3), maxLag, 50);
    }

    private void count(String what) {
        tally.merge(what, 1L, Long::sum);
    }
}

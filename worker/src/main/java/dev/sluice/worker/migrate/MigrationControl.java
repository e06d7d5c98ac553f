package dev.sluice.worker.migrate;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import dev.sluice.model.InvalidInputException;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.migrate.MigrationStore.Stored;
import dev.sluice.worker.stream.StreamState;
import dev.sluice.worker.stream.StreamState.Retention;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/** Starts, shows and ends migrations of a group, such as for a command. Running workers follow within seconds. */
public final class MigrationControl {
    private static final String MEANWHILE = "another command or the leader changed the migration meanwhile: look again";

    private final MigrationStore store;
    private final InstantSource clock;

    public MigrationControl(CoordinationStore store, String group, InstantSource clock) {
        this.store = new MigrationStore(store, group);
        this.clock = clock;
    }

    /** The last migration; empty when there was none. */
    public Optional<Migration> migration() {
        return store.read().map(Stored::migration);
    }

    /** How the windows of workers went in the present phase, by worker id. */
    public Map<String, WindowReport> reports(Migration of) {
        Map<String, WindowReport> reports = store.reports();
        reports.values().removeIf(report -> !report.isOf(of));
        return reports;
    }

    /**
     * Starts a migration. On a limits stream the new mode is compared before it handles. Elsewhere it handles at once: a second
     * consumer would be refused (work queue) or keep every message (interest), and where the stream replaces messages
     * (max_msgs_per_subject) two consumers may get different ones.
     *
     * @param from the mode of the group now, as a running worker knows it
     * @param lag unfinished messages of that worker
     * @throws InvalidInputException when one runs already, the group has that mode, or the lag is above the limit
     */
    public Migration start(ConsumerMode from, ConsumerMode to, long lag, MigrationLimits limits, StreamState stream) {
        Optional<Stored> last = store.read();
        ConsumerMode now = last.map(stored -> stored.migration().mode()).orElse(from);
        if (last.isPresent() && last.get().migration().isRunning()) {
            throw new InvalidInputException("a migration runs already ("
                    + last.get().migration().sentence() + "): wait for its end, or abort it");
        }
        if (now == to) {
            throw new InvalidInputException("the group uses " + Migration.word(to) + " consumers already");
        }
        if (lag > limits.maxLag()) {
            throw new InvalidInputException(
                    "the worker of this node has " + lag + " unfinished messages, more than max_lag (" + limits.maxLag()
                            + "): wait until they are handled, or raise worker.migration.max_lag");
        }
        // Also after one that was forgotten: workers may still have reports of it.
        long before = last.map(stored -> stored.migration().number()).orElse(0L);
        long number = Math.max(before + 1, clock.millis());
        boolean shadow = stream.retention() == Retention.LIMITS && stream.maxPerSubject() < 1;
        Migration started = Migration.start(number, now, to, shadow, limits, clock.millis());
        write(started, last.map(Stored::revision).orElse(CoordinationStore.ABSENT));
        return started;
    }

    /** @throws InvalidInputException when none runs */
    public Migration abort() {
        Stored running = store.read()
                .filter(stored -> stored.migration().isRunning())
                .orElseThrow(() -> new InvalidInputException("no migration runs: there is nothing to abort"));
        Migration aborted = running.migration().aborted(clock.millis());
        write(aborted, running.revision());
        return aborted;
    }

    /**
     * Forgets a migration that has ended or cannot be read: from then on the configuration of each worker decides its mode.
     *
     * @throws InvalidInputException when there is none, or it runs
     */
    public void forget() {
        Entry stored =
                store.entry().orElseThrow(() -> new InvalidInputException("the group has no migration to forget"));
        MigrationStore.readable(stored).filter(Migration::isRunning).ifPresent(running -> {
            throw new InvalidInputException(
                    "the migration runs (" + running.sentence() + "): abort it first, or wait for its end");
        });
        if (!store.delete(stored.revision())) {
            throw new InvalidInputException(MEANWHILE);
        }
    }

    private void write(Migration next, long expected) {
        if (!store.write(next, expected)) {
            throw new InvalidInputException(MEANWHILE);
        }
    }
}

package dev.sluice.worker.migrate;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.GroupStatus;
import dev.sluice.model.InvalidInputException;
import dev.sluice.worker.consume.Session;
import dev.sluice.worker.consume.WorkerContext;
import dev.sluice.worker.migrate.MigrationStore.Stored;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A worker's part in migrations of its group. {@link #step} follows the stored migration, which the leader advances by the
 * reports of all; {@link #watchSelf} ends the worker's windows and reports them, which may take longer. Each is for one thread.
 */
public final class ModeMigration {
    /** The names of the loops that run the steps begin with it. */
    public static final String LOOP = "worker-migration-";

    static final String PROBLEM = "migration";

    private static final Duration LOOK_INTERVAL = Duration.ofSeconds(10);
    private static final Duration STEP_INTERVAL = Duration.ofSeconds(1);

    private final WorkerContext context;
    private final MigrationStore store;
    private final GroupMode mode;
    private final Supplier<GroupStatus> group;
    private final Supplier<Optional<Session>> session;
    private final Runnable wakeWindows;
    private final MigrationLeader leader;
    /** None in a phase that began before this worker did: what is a problem then may come from the new mode. */
    private volatile Set<String> problemsBefore = Set.of();

    private volatile @Nullable WorkerWindows windows;
    private volatile boolean changed = true;
    private volatile boolean closed;
    private @Nullable WindowReport written;
    private long lookedAt;

    /** @param wakeWindows called when {@link #watchSelf} is due at once */
    public ModeMigration(
            WorkerContext context,
            MigrationStore store,
            GroupMode mode,
            Supplier<GroupStatus> group,
            Supplier<Optional<Session>> session,
            Runnable wakeWindows) {
        this.context = context;
        this.store = store;
        this.mode = mode;
        this.group = group;
        this.session = session;
        this.wakeWindows = wakeWindows;
        this.leader = new MigrationLeader(context, store);
    }

    /** Calls back when a step is due at once. */
    public CoordinationStore.Watch watch(Runnable wake) {
        return store.watch(() -> {
            changed = true;
            wake.run();
        });
    }

    /** Follows the stored migration; as the leader, advances it. Returns the pause until the next step. */
    public Duration step() {
        try {
            look();
            lead();
        } catch (InvalidInputException unreadable) {
            context.problems().report(PROBLEM, "This worker keeps its consumer mode: " + unreadable.getMessage());
        }
        return pause(running());
    }

    private void lead() {
        GroupStatus now = group.get();
        if (now.leads() && running().isPresent()) {
            leader.advance(now);
        } else if (now.leads()) {
            leader.cleanUp();
        }
    }

    private Optional<Migration> running() {
        return mode.migration().filter(Migration::isRunning);
    }

    private static Duration pause(Optional<Migration> running) {
        return running.map(now -> Collections.min(List.of(now.limits().window(), STEP_INTERVAL)))
                .orElse(LOOK_INTERVAL);
    }

    /** Reads the migration when it may have changed. */
    private void look() {
        long now = context.clockwork().nanos();
        if (!changed && now - lookedAt < LOOK_INTERVAL.toNanos()) {
            return;
        }
        changed = false;
        try {
            follow(store.read().map(Stored::migration));
            lookedAt = now;
        } catch (RuntimeException | Error unread) {
            changed = true;
            throw unread;
        }
    }

    private void follow(Optional<Migration> stored) {
        if (!stored.equals(mode.migration())) {
            problemsBefore = context.problems().ofConsumers().keySet();
            mode.follow(stored);
            wakeWindows.run();
        }
        String difference = mode.difference();
        if (difference.isEmpty()) {
            context.problems().clear(PROBLEM);
        } else {
            context.problems().report(PROBLEM, difference);
        }
    }

    /** Ends and begins windows of this worker while a migration runs. Returns the pause until the next step. */
    public Duration watchSelf() {
        Optional<Migration> running = running();
        GroupStatus self = group.get();
        try {
            if (running.isEmpty() || self.member().isEmpty()) {
                endWindows();
            } else {
                watchSelf(running.get(), self);
            }
        } finally {
            if (closed) {
                endWindows();
            }
        }
        return pause(running);
    }

    private void watchSelf(Migration migration, GroupStatus self) {
        String life = self.incarnation();
        Session owner =
                session.get().filter(one -> one.incarnation().equals(life)).orElse(null);
        WorkerWindows now = windows;
        if (now == null || !now.isOf(migration, life, owner)) {
            endWindows();
            WindowReport before = store.report(self.member())
                    .filter(report -> report.isOf(migration))
                    .map(report -> report.in(life))
                    .orElseGet(() -> WindowReport.none(migration, life));
            now = new WorkerWindows(context, migration, owner, problemsBefore, before);
            windows = now;
            now.begin();
        } else {
            now.step();
        }
        WindowReport report = now.report();
        if (!report.equals(written) && store.report(self.member(), report)) {
            written = report;
        }
    }

    private void endWindows() {
        WorkerWindows over = windows;
        windows = null;
        if (over != null) {
            over.close();
        }
    }

    /** The group's last migration as this worker sees it. */
    public Optional<MigrationStatus> status() {
        WorkerWindows now = windows;
        return mode.migration()
                .map(migration -> new MigrationStatus(
                        migration,
                        now == null || !migration.isRunning()
                                ? ""
                                : now.report().sentence()));
    }

    /** Ends the shadows of this worker; the step that runs at the moment ends those it makes. */
    public void close() {
        closed = true;
        endWindows();
    }
}

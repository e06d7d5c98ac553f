package dev.sluice.worker.migrate;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.GroupStatus;
import dev.sluice.worker.consume.Session;
import dev.sluice.worker.consume.WorkerContext;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker's part in migrations of its group: it follows the stored migration, watches itself in windows and reports them;
 * the leader advances the migration by the reports of all. {@link #step} is for one thread.
 */
public final class ModeMigration {
    /** The name of the loop that runs the steps begins with it. */
    public static final String LOOP = "worker-migration-";

    static final String PROBLEM = "migration";

    private static final Logger LOG = LoggerFactory.getLogger(ModeMigration.class);
    private static final Duration LOOK_INTERVAL = Duration.ofSeconds(10);
    private static final Duration STEP_INTERVAL = Duration.ofSeconds(1);

    private final WorkerContext context;
    private final MigrationStore store;
    private final GroupMode mode;
    private final Supplier<GroupStatus> group;
    private final Supplier<Optional<Session>> session;
    private volatile @Nullable WorkerWindows windows;
    private volatile boolean changed = true;
    private volatile boolean closed;
    private boolean reportsMayExist = true;
    private long lookedAt;

    public ModeMigration(
            WorkerContext context,
            MigrationStore store,
            GroupMode mode,
            Supplier<GroupStatus> group,
            Supplier<Optional<Session>> session) {
        this.context = context;
        this.store = store;
        this.mode = mode;
        this.group = group;
        this.session = session;
    }

    /** Calls back when a step is due at once. */
    public CoordinationStore.Watch watch(Runnable wake) {
        return store.watch(() -> {
            changed = true;
            wake.run();
        });
    }

    /** Returns the pause until the next step. */
    public Duration step() {
        look();
        Optional<Migration> running = mode.migration().filter(Migration::isRunning);
        if (running.isEmpty()) {
            endWindows();
            if (group.get().leads() && reportsMayExist) {
                store.deleteReports();
                reportsMayExist = false;
            }
            return LOOK_INTERVAL;
        }
        reportsMayExist = true;
        String worker = group.get().member();
        if (worker.isEmpty()) {
            endWindows();
        } else {
            watchSelf(running.get(), worker, session.get().orElse(null));
        }
        if (group.get().leads()) {
            advance();
        }
        Duration window = running.get().limits().window();
        return window.compareTo(STEP_INTERVAL) < 0 ? window : STEP_INTERVAL;
    }

    /** Reads the migration when it may have changed. */
    private void look() {
        long now = context.clockwork().nanos();
        if (!changed && now - lookedAt < LOOK_INTERVAL.toNanos()) {
            return;
        }
        changed = false;
        try {
            mode.follow(store.migration());
            lookedAt = now;
        } catch (RuntimeException | Error unread) {
            changed = true;
            throw unread;
        }
        String difference = mode.difference();
        if (difference.isEmpty()) {
            context.problems().clear(PROBLEM);
        } else {
            context.problems().report(PROBLEM, difference);
        }
    }

    private void watchSelf(Migration migration, String worker, @Nullable Session life) {
        WorkerWindows now = windows;
        if (now == null || !now.isOf(migration, life)) {
            endWindows();
            now = new WorkerWindows(context, migration, life);
            windows = now;
            now.begin();
            store.report(worker, now.report());
        } else if (now.isOver()) {
            now.end();
            now.begin();
            store.report(worker, now.report());
        }
        if (closed) {
            endWindows();
        }
    }

    private void endWindows() {
        WorkerWindows over = windows;
        windows = null;
        if (over != null) {
            over.close();
        }
    }

    /** The leader writes the next phase. A writer that was faster, such as a second leader, is read with the next step. */
    private void advance() {
        Optional<MigrationStore.Stored> stored = store.read();
        if (stored.isEmpty()) {
            return;
        }
        Migration before = stored.get().migration();
        Migration next = before.next(
                group.get().members(), store.reports(), context.wallClock().millis());
        if (!next.equals(before) && store.write(next, stored.get().revision())) {
            changed = true;
            if (next.phase() == Migration.Phase.ROLLED_BACK) {
                LOG.warn(
                        "The consumer mode of group {} is taken back: {}",
                        group.get().group(),
                        next.sentence());
            } else {
                LOG.info(
                        "The consumer mode of group {} changes: {}", group.get().group(), next.sentence());
            }
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

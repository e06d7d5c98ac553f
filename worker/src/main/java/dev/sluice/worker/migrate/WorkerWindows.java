package dev.sluice.worker.migrate;

import dev.sluice.worker.consume.Session;
import dev.sluice.worker.consume.WorkerContext;
import dev.sluice.worker.migrate.Migration.Phase;
import org.jspecify.annotations.Nullable;

/** The windows of one life of a worker in one phase of a migration. For one thread, except {@link #close}. */
final class WorkerWindows {
    private final WorkerContext context;
    private final Migration migration;
    private final @Nullable Session session;
    private final WindowHealth health;
    private final @Nullable ShadowComparison comparison;
    private volatile WindowReport report;
    private long startedAt;

    /** @param session null while the worker owns no partition: then there is nothing that could be bad */
    WorkerWindows(WorkerContext context, Migration migration, @Nullable Session session) {
        this.context = context;
        this.migration = migration;
        this.session = session;
        this.health = new WindowHealth(context, migration.limits());
        this.comparison = migration.phase() == Phase.SHADOW && session != null
                ? new ShadowComparison(context, session::lanes, session::shadow, migration.to())
                : null;
        this.report = WindowReport.none(migration);
    }

    boolean isOf(Migration other, @Nullable Session life) {
        return report.isOf(other) && session == life;
    }

    /** Begins a window, with the lanes that the worker has now. */
    void begin() {
        startedAt = context.clockwork().nanos();
        health.begin();
        if (comparison != null) {
            comparison.begin();
        }
    }

    boolean isOver() {
        return context.clockwork().nanos() - startedAt
                >= migration.limits().window().toNanos();
    }

    /** Ends a window. A paused worker handles nothing, which says nothing of the mode: its window counts for neither side. */
    void end() {
        if (context.paused().getAsBoolean()) {
            return;
        }
        String healthy = session == null
                ? ""
                : health.verdict(session.lanes(), session.feeding().pending() + session.queued());
        String compared = comparison == null ? "" : comparison.difference();
        report = report.after(compared.isEmpty() ? healthy : compared);
    }

    WindowReport report() {
        return report;
    }

    void close() {
        if (comparison != null) {
            comparison.close();
        }
    }
}

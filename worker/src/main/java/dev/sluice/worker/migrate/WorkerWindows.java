package dev.sluice.worker.migrate;

import dev.sluice.worker.consume.Session;
import dev.sluice.worker.consume.WorkerContext;
import dev.sluice.worker.lane.Lane;
import dev.sluice.worker.migrate.Migration.Phase;
import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.StreamUnavailableException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The windows of one life of a worker in one phase of a migration. For one thread, except {@link #report} and {@link #close}. */
final class WorkerWindows {
    private final WorkerContext context;
    private final Migration migration;
    private final @Nullable Session session;
    private final WindowHealth health;
    private final @Nullable ShadowComparison comparison;
    private volatile WindowReport report;
    private long startedAt;
    private boolean paused;

    /**
     * @param session null while the worker owns no partition: then there is nothing that could be bad
     * @param before the report with which this life begins
     */
    WorkerWindows(
            WorkerContext context,
            Migration migration,
            @Nullable Session session,
            Set<String> problemsBefore,
            WindowReport before) {
        this.context = context;
        this.migration = migration;
        this.session = session;
        this.health = new WindowHealth(context, migration.limits(), problemsBefore);
        this.comparison = migration.phase() == Phase.SHADOW && session != null
                ? new ShadowComparison(context, new Owner(session), migration.to())
                : null;
        this.report = before;
    }

    private record Owner(Session session) implements ShadowComparison.Owner {
        @Override
        public List<Lane> lanes() {
            return WorkerWindows.lanes(session);
        }

        @Override
        public ConsumerSpec shadow(List<String> filters, long startSequence) {
            return session.shadow(filters, startSequence);
        }

        @Override
        public void retire(String consumer) {
            session.feeding().retire(consumer);
        }
    }

    boolean isOf(Migration other, String life, @Nullable Session now) {
        return report.isOf(other) && report.life().equals(life) && session == now;
    }

    /** Lanes that can get messages. */
    private static List<Lane> lanes(Session session) {
        return session.lanes().stream()
                .filter(lane -> !lane.partition().closed() && !session.feeding().isStoppedByGap(lane))
                .toList();
    }

    /** Begins a window, with the lanes that the worker has now. */
    void begin() {
        startedAt = context.clockwork().nanos();
        paused = context.isPaused();
        health.begin();
        if (comparison != null) {
            comparison.begin();
        }
    }

    /** Ends the window when its time is over, and begins the next. */
    void step() {
        paused |= context.isPaused();
        if (context.clockwork().nanos() - startedAt
                >= migration.limits().window().toNanos()) {
            report = report.after(verdict());
            begin();
        }
    }

    /** A paused worker handles nothing, and one without an answer knows nothing: neither says something of the mode. */
    private Verdict verdict() {
        try {
            Verdict judged = session == null ? Verdict.GOOD : judged(session);
            return paused ? Verdict.neutral("the worker was paused") : judged;
        } catch (StreamUnavailableException unknown) {
            return Verdict.neutral("the stream did not answer: " + unknown.getMessage());
        }
    }

    private Verdict judged(Session owner) {
        Verdict healthy = health.verdict(lanes(owner), lag(owner));
        return comparison == null ? inBurnIn(owner, healthy) : inShadow(comparison, healthy);
    }

    private static Verdict inBurnIn(Session session, Verdict healthy) {
        return session.feeding().isSwitched()
                ? healthy
                : healthy.and(Verdict.neutral("not all partitions have their new consumer"));
    }

    /** While the old mode handles, a bad state is not caused by the new mode, but the group must not switch then either. */
    private static Verdict inShadow(ShadowComparison comparison, Verdict healthy) {
        Verdict compared = comparison.verdict();
        return healthy.isGood() ? compared : compared.and(Verdict.neutral(healthy.text()));
    }

    private long lag(Session session) {
        if (session.feeding().pending() + session.queued() > migration.limits().maxLag()) {
            session.feeding().refreshPending();
        }
        return session.feeding().pending() + session.queued();
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

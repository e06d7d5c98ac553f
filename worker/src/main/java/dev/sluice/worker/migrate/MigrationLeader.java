package dev.sluice.worker.migrate;

import dev.sluice.coordinate.GroupStatus;
import dev.sluice.worker.consume.WorkerContext;
import dev.sluice.worker.migrate.Migration.Phase;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Advances the migration of a group by the reports of its workers: the part of the group's leader. For one thread. */
final class MigrationLeader {
    private static final Logger LOG = LoggerFactory.getLogger(MigrationLeader.class);

    /** A comparison and a slow server may take so long at the end of a window. */
    private static final Duration REPORT_DELAY = Duration.ofSeconds(10);

    private final WorkerContext context;
    private final MigrationStore store;
    private final MissedReports missedReports;
    private boolean reportsMayExist = true;

    MigrationLeader(WorkerContext context, MigrationStore store) {
        this.context = context;
        this.store = store;
        this.missedReports = new MissedReports(context.settings().lease().plus(REPORT_DELAY));
    }

    /** Deletes the reports after the end of a migration. */
    void cleanUp() {
        if (reportsMayExist) {
            store.deleteReports();
            reportsMayExist = false;
        }
    }

    /** Writes the next phase when it is time. All workers follow it by their watch, also this one. */
    void advance(GroupStatus group) {
        reportsMayExist = true;
        Optional<MigrationStore.Stored> stored = store.read();
        if (stored.isEmpty()) {
            return;
        }
        Migration before = stored.get().migration();
        Map<String, WindowReport> reports = store.reports();
        Map<String, Integer> missed = missedReports.of(
                group.members(),
                reports,
                before.limits().window(),
                context.clockwork().nanos());
        Migration next = before.next(
                group.members(), reports, missed, context.wallClock().millis());
        if (next.equals(before) || !store.write(next, stored.get().revision())) {
            return;
        }
        if (next.phase() == Phase.ROLLED_BACK) {
            LOG.warn("The consumer mode of group {} is rolled back: {}", group.group(), next.sentence());
        } else {
            LOG.info("The consumer mode of group {} changes: {}", group.group(), next.sentence());
        }
    }
}

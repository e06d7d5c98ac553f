package dev.sluice.worker.migrate;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds workers that do not report, by the clock of the leader: clocks of different machines are never compared. */
final class MissedReports {
    /** A longer pause of the leader may be an outage of the store, in which no worker could report. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final Duration grace;
    private final Map<String, Seen> seen = new HashMap<>();
    private long lookedAt;

    /**
     * The last report of a worker, and when the leader saw it first.
     *
     * @param fresh whether it replaced another one, or none, while the leader looked: else it may be an old one
     */
    private record Seen(@Nullable WindowReport report, long at, boolean fresh) {}

    /** @param grace by which a window may end late, and a worker may be dead before its group knows */
    MissedReports(Duration grace) {
        this.grace = grace;
    }

    /** How many windows of each living worker are over without a report; no entry for a worker whose report may be an old one. */
    Map<String, Integer> of(Collection<String> living, Map<String, WindowReport> reports, Duration window, long nanos) {
        if (nanos - lookedAt > LONGEST_PAUSE.toNanos()) {
            seen.clear();
        }
        lookedAt = nanos;
        seen.keySet().retainAll(living);
        Map<String, Integer> missed = new HashMap<>();
        for (String worker : living) {
            WindowReport report = reports.get(worker);
            Seen before = seen.get(worker);
            boolean fresh = before != null && report != null && !report.equals(before.report());
            Seen now = before == null || fresh ? new Seen(report, nanos, fresh) : before;
            seen.put(worker, now);
            long late = (nanos - now.at() - grace.toNanos()) / window.toNanos();
            if (now.fresh() || late > 0) {
                missed.put(worker, Math.clamp(late, 0, Integer.MAX_VALUE / 2));
            }
        }
        return missed;
    }
}

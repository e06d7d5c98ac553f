package dev.sluice.worker.migrate;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which workers do not report, by the clock of the leader: clocks of different machines are never compared. */
final class Silence {
    /** When the leader itself could not look for so long, the others could perhaps not report. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final Duration grace;
    private final Map<String, Seen> seen = new HashMap<>();
    private long lookedAt;

    /** The report that a worker had first at this time. */
    private record Seen(@Nullable WindowReport report, long at) {}

    /** @param grace by which a window may end late, and a worker may be dead before its group knows */
    Silence(Duration grace) {
        this.grace = grace;
    }

    /** How many windows of each living worker are over without a report of them. */
    Map<String, Integer> missed(
            Duration window, Collection<String> living, Map<String, WindowReport> reports, long nanos) {
        if (nanos - lookedAt > LONGEST_PAUSE.toNanos()) {
            seen.clear();
        }
        lookedAt = nanos;
        seen.keySet().retainAll(living);
        Map<String, Integer> missed = new HashMap<>();
        for (String worker : living) {
            Seen now = new Seen(reports.get(worker), nanos);
            Seen before = seen.getOrDefault(worker, now);
            boolean moved = now.report() != null && !now.report().equals(before.report());
            seen.put(worker, moved ? now : before);
            long late = moved ? 0 : nanos - before.at() - grace.toNanos();
            missed.put(worker, Math.clamp(late / window.toNanos(), 0, Integer.MAX_VALUE / 2));
        }
        return missed;
    }
}

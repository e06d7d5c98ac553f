package dev.sluice.server.coordinate;

import dev.sluice.server.coordinate.FencedCounters.Change;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** When what was hurt, and what that cost: the times that are printed. */
final class ChaosFigures {
    private record Outage(long from, long to) {}

    /** A write that was under way when its process was stopped may be counted a little later. */
    private static final long UNDER_WAY = 200_000_000;

    private final Map<String, List<Long>> hurt = new HashMap<>();
    private final List<Outage> outages = new ArrayList<>();

    /** A process was killed or stopped. */
    void hurt(String process, long at) {
        hurt.computeIfAbsent(process, p -> new ArrayList<>()).add(at);
    }

    void storeAway(long from, long to) {
        outages.add(new Outage(from, to));
    }

    String of(List<Change> changes, long graceNanos) {
        List<Double> planned = new ArrayList<>();
        List<Double> crashes = new ArrayList<>();
        List<Double> disturbances = new ArrayList<>();
        int others = 0;
        Change slowest = null;
        Change slowestTakeover = null;
        double longestTakeover = 0;
        for (Change change : changes) {
            Long hurtAt = hurtBetween(change);
            long since = hurtAt == null || change.planned() ? change.lastWrite() : hurtAt;
            List<Double> kind = planned;
            if (!change.direct() || (hurtAt == null && !change.planned())) {
                others++;
                continue;
            }
            if (!change.planned()) {
                kind = crashes;
            }
            boolean disturbed = outages.stream()
                            .anyMatch(outage -> outage.from < change.firstWrite() && since < outage.to + graceNanos)
                    || othersHurt(change, graceNanos);
            double millis = (change.firstWrite() - since) / 1e6;
            (disturbed ? disturbances : kind).add(millis);
            if (!disturbed && change.planned() && (slowest == null || pause(change) > pause(slowest))) {
                slowest = change;
            }
            if (!disturbed && !change.planned() && millis > longestTakeover) {
                longestTakeover = millis;
                slowestTakeover = change;
            }
        }
        return "planned handoff: %s%ncrash or freeze until taken over: %s%neither, disturbed by others' deaths or the store's: %s%n"
                        .formatted(line(planned), line(crashes), line(disturbances))
                + "given up at the deadline, or claimed by one that died before it wrote: " + others
                + ", slowest planned handoff: "
                + slowest
                + ", slowest takeover: "
                + slowestTakeover;
    }

    private static long pause(Change change) {
        return change.firstWrite() - change.lastWrite();
    }

    /** The heir, or the leader that names it, may be one that is not known yet to be dead. */
    private boolean othersHurt(Change change, long graceNanos) {
        return hurt.entrySet().stream()
                .filter(process -> !process.getKey().equals(change.from().process))
                .flatMap(process -> process.getValue().stream())
                .anyMatch(at -> at > change.lastWrite() - 2 * graceNanos && at < change.firstWrite());
    }

    private @Nullable Long hurtBetween(Change change) {
        return hurt.getOrDefault(change.from().process, List.of()).stream()
                .filter(at -> at > change.lastWrite() - UNDER_WAY && at < change.firstWrite())
                .findFirst()
                .orElse(null);
    }

    private static String line(List<Double> millis) {
        if (millis.isEmpty()) {
            return "none";
        }
        Collections.sort(millis);
        return "%d, p50 %.0f ms, p99 %.0f ms, max %.0f ms"
                .formatted(millis.size(), at(millis, 0.5), at(millis, 0.99), millis.getLast());
    }

    private static double at(List<Double> sorted, double share) {
        return sorted.get((int) Math.min(sorted.size() - 1L, Math.round(Math.ceil(share * sorted.size()) - 1)));
    }
}

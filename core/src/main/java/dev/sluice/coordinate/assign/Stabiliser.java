package dev.sluice.coordinate.assign;

import dev.sluice.coordinate.assign.Verdict.Reason;
import dev.sluice.coordinate.assign.Verdict.Reassign;
import dev.sluice.coordinate.assign.Verdict.Settled;
import dev.sluice.coordinate.assign.Verdict.Wait;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides when partitions are assigned anew, so that ten members starting together make one reassignment, and a dead
 * one's partitions do not wait. The leader shows it the members on every step; it compares them with those of the last
 * reassignment. A window begins with the first difference and does not grow with later ones, so its length bounds the
 * wait. A difference that vanishes within its window (a member back under its id) moves nothing.
 *
 * <p>No thread and no clock: time comes in as {@link System#nanoTime()} reads it. One thread uses it.
 */
public final class Stabiliser {
    private final StabiliserSettings settings;
    private @Nullable Map<String, Integer> basis;
    private @Nullable Long changedAt;
    private @Nullable Long reassignedAt;
    private long reassignments;
    private long skipped;

    private Stabiliser(StabiliserSettings settings, @Nullable Map<String, Integer> basis) {
        this.settings = settings;
        this.basis = basis;
    }

    /** Of a group that has no assignment yet. */
    public static Stabiliser coldStart(StabiliserSettings settings) {
        return new Stabiliser(settings, null);
    }

    /**
     * Of a leader that took over a group with an assignment.
     *
     * @param assigned the members that own something by it; a member without partitions joins once more, for nothing
     */
    public static Stabiliser takingOver(StabiliserSettings settings, Collection<Candidate> assigned) {
        return new Stabiliser(settings, weights(assigned));
    }

    /**
     * @param ready the members that may own partitions
     * @param leaving those that said they go; gone without being here or ready means dead
     * @param complete whether every partition is assigned to somebody; if not, only the minimum interval is waited for
     */
    public Verdict look(long now, Collection<Candidate> ready, Set<String> leaving, boolean complete) {
        Map<String, Integer> members = weights(ready);
        if (members.isEmpty()) {
            // nobody could take anything: what is assigned stays, and the next member starts its own window
            changedAt = null;
            return new Settled();
        }
        if (members.equals(basis)) {
            forgetReverted();
            return complete ? new Settled() : after(intervalLeft(now), Reason.GROWN);
        }
        if (changedAt == null) {
            changedAt = now;
        }
        Reason reason = reason(members.keySet(), leaving);
        return after(Math.max(left(now, changedAt, window(reason)), intervalLeft(now)), reason);
    }

    private static Verdict after(long left, Reason reason) {
        return left > 0 ? new Wait(Duration.ofNanos(left)) : new Reassign(reason);
    }

    /** The members of the last {@link #look} have been assigned partitions, and that is stored. */
    public void reassigned(long now, Collection<Candidate> over) {
        reassignments++;
        reassignedAt = now;
        settle(over);
    }

    /** Assigning these members changed nothing, so nothing was stored. */
    public void unchanged(Collection<Candidate> over) {
        skipped++;
        settle(over);
    }

    /** Reassignments since this member leads. */
    public long reassignments() {
        return reassignments;
    }

    /** Changes of members that moved nothing: undone within their window, or without effect on the assignment. */
    public long skipped() {
        return skipped;
    }

    private void settle(Collection<Candidate> over) {
        basis = weights(over);
        changedAt = null;
    }

    private void forgetReverted() {
        if (changedAt != null) {
            skipped++;
            changedAt = null;
        }
    }

    private Reason reason(Set<String> ready, Set<String> leaving) {
        if (basis == null) {
            return Reason.COLD_START;
        }
        boolean dead = basis.keySet().stream().anyMatch(id -> !ready.contains(id) && !leaving.contains(id));
        return dead ? Reason.EMERGENCY : Reason.PLANNED;
    }

    private Duration window(Reason reason) {
        return switch (reason) {
            case COLD_START -> settings.coldStart();
            case PLANNED -> settings.planned();
            case GROWN, EMERGENCY -> Duration.ZERO;
        };
    }

    private long intervalLeft(long now) {
        return reassignedAt == null ? 0 : left(now, reassignedAt, settings.minimumInterval());
    }

    private static long left(long now, long since, Duration window) {
        return window.toNanos() - (now - since);
    }

    private static Map<String, Integer> weights(Collection<Candidate> members) {
        Map<String, Integer> weights = new TreeMap<>();
        members.forEach(member -> weights.put(member.id(), member.weight()));
        return weights;
    }
}

package dev.sluice.coordinate;

import dev.sluice.coordinate.assign.Assigner;
import dev.sluice.coordinate.assign.Candidate;
import dev.sluice.coordinate.assign.Stabiliser;
import dev.sluice.coordinate.assign.Verdict;
import dev.sluice.coordinate.assign.Verdict.Reason;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the leader does: keeps the assignment in step with the members, and carries a change of the layout through. Its first
 * write of an epoch puts that epoch into the assignment; whoever led before then expects a revision that is gone, and is
 * refused. Every write also ends with the leader's lease.
 */
final class LeaderDuties {
    private final GroupSettings settings;
    private final GroupKeys keys;
    private final Clockwork clockwork;
    private final GroupJournal journal;
    private final LayoutChange layoutChange;
    private final Assignments assignments;
    private @Nullable Stabiliser stabiliser;
    private long epoch;
    private Assignment mine = Assignment.NONE;

    LeaderDuties(
            CoordinationStore store,
            GroupSettings settings,
            Clockwork clockwork,
            GroupJournal journal,
            Assignments assignments) {
        this.settings = settings;
        this.keys = new GroupKeys(settings.group());
        this.clockwork = clockwork;
        this.journal = journal;
        this.assignments = assignments;
        this.layoutChange = new LayoutChange(store, keys, clockwork, settings.lower(), journal);
    }

    /** One look at everything, and at most one change. Returns how long the next may wait. */
    Duration step(Incarnation leader, long leaderEpoch, Optional<Entry> layoutEntry, Roll roll) {
        Assignment assignment = assignments.read();
        if (assignment.epoch() > leaderEpoch) {
            return settings.poll();
        }
        // Another one than the last that was answered: a write without an answer took effect, and the windows do not
        // know of it.
        boolean inOffice = assignment.epoch() == leaderEpoch
                && epoch == leaderEpoch
                && !assignments.isRefused()
                && assignment.equals(mine);
        if (!inOffice || stabiliser == null) {
            return takeOffice(leader, leaderEpoch, assignment, roll);
        }
        if (layoutEntry.isEmpty()) {
            leader.lease()
                    .put(keys.layout(), Layout.first(settings.partitions()).toBytes(), CoordinationStore.ABSENT);
            return Duration.ZERO;
        }
        Layout layout = Layout.of(layoutEntry.get());
        if (layout.isDraining()) {
            boolean done = layoutChange.step(leader, layout, layoutEntry.get().revision());
            return done ? Duration.ZERO : settings.retry();
        }
        return assign(leader, layout, assignment, roll, stabiliser);
    }

    private Duration takeOffice(Incarnation leader, long leaderEpoch, Assignment assignment, Roll roll) {
        // Back after a stranger: the windows go on, else one that comes again and again would hold them open for ever.
        boolean goesOn = assignments.isRefused() && assignment.equals(mine);
        if (!assignments.write(leader, assignment.underEpoch(leaderEpoch))) {
            return settings.retry();
        }
        epoch = leaderEpoch;
        mine = assignment.underEpoch(leaderEpoch);
        if (!goesOn || stabiliser == null) {
            stabiliser = assignment.owners().isEmpty()
                    ? Stabiliser.coldStart(settings.stabiliser())
                    : Stabiliser.takingOver(settings.stabiliser(), owners(assignment, roll));
        }
        return Duration.ZERO;
    }

    /** With the weights they have now: a member that is not there any more has one as good as any. */
    private static List<Candidate> owners(Assignment assignment, Roll roll) {
        return new TreeSet<>(assignment.owners().values())
                .stream()
                        .map(id -> roll.candidate(id).orElse(new Candidate(id)))
                        .toList();
    }

    private Duration assign(Incarnation leader, Layout layout, Assignment assignment, Roll roll, Stabiliser windows) {
        boolean otherLayout = assignment.generation() != layout.generation();
        boolean first = assignment.generation() == 0;
        Collection<Candidate> ready = roll.ready();
        Verdict verdict = otherLayout && !first && !ready.isEmpty()
                ? new Verdict.Reassign(Reason.PLANNED)
                : windows.look(clockwork.nanos(), ready, roll.leaving(), isComplete(assignment, layout));
        return switch (verdict) {
            case Verdict.Settled settled -> settings.poll();
            case Verdict.Wait wait -> wait.left();
            case Verdict.Reassign reassign -> {
                Map<Integer, String> before = otherLayout ? Map.of() : assignment.owners();
                Map<Integer, String> after = owners(layout, ready, before, reassign.reason());
                if (!otherLayout && after.equals(before)) {
                    windows.unchanged(ready);
                    journal.assignmentSkipped();
                } else {
                    Assignment next = new Assignment(epoch, layout.generation(), after);
                    write(leader, next, ready, windows, reassign.reason(), Assigner.moves(before, after));
                }
                yield settings.poll();
            }
        };
    }

    private static boolean isComplete(Assignment assignment, Layout layout) {
        return assignment.owners().size() >= layout.partitions();
    }

    /** New partitions alone move nothing: what the assigner would take from somebody else stays until members change. */
    private Map<Integer, String> owners(
            Layout layout, Collection<Candidate> ready, Map<Integer, String> before, Reason reason) {
        Map<Integer, String> after =
                new TreeMap<>(settings.assigner().assign(layout.partitions(), List.copyOf(ready), before));
        if (reason == Reason.GROWN) {
            after.putAll(before);
        }
        return after;
    }

    private void write(
            Incarnation leader,
            Assignment next,
            Collection<Candidate> over,
            Stabiliser windows,
            Reason reason,
            int moves) {
        if (assignments.write(leader, next)) {
            mine = next;
            windows.reassigned(clockwork.nanos(), over);
            journal.assigned(next, reason, moves);
        }
    }
}

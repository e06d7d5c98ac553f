package dev.sluice.worker.consume;

import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.lane.LaneRunner;
import dev.sluice.worker.stream.StreamRefusedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Moves lanes that are up to date from their catch-up readers to a durable consumer. */
final class Joining {
    /** The problem of a worker that owns more partitions than its durable consumers may filter. */
    private static final String SUBJECT_CAP = "subject-cap";

    private static final long ASK_FOR_LAST_NANOS = Duration.ofSeconds(1).toNanos();

    private final WorkerContext context;
    private final Readers readers;
    private final ConsumerSpecs specs;
    private final UpdatePace pace;
    private final BlockingLanes blocking;
    private final IdleCoverage idle;
    private final GapCheck gaps;
    private volatile boolean done;

    Joining(
            WorkerContext context,
            Readers readers,
            ConsumerSpecs specs,
            UpdatePace pace,
            BlockingLanes blocking,
            IdleCoverage idle,
            GapCheck gaps) {
        this.context = context;
        this.readers = readers;
        this.specs = specs;
        this.pace = pace;
        this.blocking = blocking;
        this.idle = idle;
        this.gaps = gaps;
    }

    /** Moves as many lanes as one durable consumer takes, when an update is due. */
    void join() {
        if (context.mode() != ConsumerMode.PER_WORKER) {
            done = false;
            return;
        }
        if (!pace.isDue(context.clockwork().nanos())) {
            return;
        }
        int most = context.settings().maxSubjects();
        int shards = context.settings().shards();
        if (readers.lanes().size() <= most * (long) shards) {
            context.problems().clear(SUBJECT_CAP);
        }
        List<LaneRunner> candidates = candidates();
        done = candidates.isEmpty()
                && (!readers.durables().isEmpty() || readers.catchUps().size() <= mostSingles());
        if (candidates.isEmpty()) {
            return;
        }
        Reader target = durableWithRoom(most);
        if (target == null && readers.durables().size() >= shards) {
            reportSubjectCap(candidates.size());
            return;
        }
        int room = target == null ? most : most - target.lanes().size();
        boolean replaced = false;
        try {
            replaced = replace(target, candidates.subList(0, Math.min(room, candidates.size())));
        } finally {
            pace.ended(replaced, context.clockwork().nanos());
        }
    }

    /** Whether no lane could join when it was looked last. */
    boolean isDone() {
        return done;
    }

    private @Nullable Reader durableWithRoom(int most) {
        for (Reader durable : readers.durables()) {
            if (durable.lanes().size() < most) {
                return durable;
            }
        }
        return null;
    }

    private void reportSubjectCap(int candidates) {
        context.problems()
                .error(
                        SUBJECT_CAP,
                        "This worker owns " + readers.lanes().size() + " partitions; its "
                                + readers.durables().size() + " durable consumer(s) take "
                                + context.settings().maxSubjects() + " each (max_subjects). " + candidates
                                + " are handled from consumers of their own, which cost the server more: start more"
                                + " workers, raise shards, use hashed partitions, or choose per-partition"
                                + " consumers.");
    }

    private List<LaneRunner> candidates() {
        boolean overlaps = context.kind().overlaps();
        List<Reader> catchUps = readers.catchUps();
        boolean joins = catchUps.size() > mostSingles();
        List<LaneRunner> near = new ArrayList<>();
        if (!joins) {
            return near;
        }
        long head = head();
        for (Reader reader : catchUps) {
            if (reader.isNearEnd() || !overlaps) {
                reader.lanes().stream()
                        .filter(this::mayJoin)
                        .filter(lane -> isNear(reader, lane, head))
                        .forEach(near::add);
            }
        }
        return near;
    }

    /** So many consumers of single partitions need not be joined. */
    private int mostSingles() {
        return context.kind().overlaps() ? 0 : context.settings().maxSingles();
    }

    private boolean mayJoin(LaneRunner lane) {
        return context.hasShortQueue(lane.lane())
                && !lane.isWaiting()
                && !blocking.hasBlocked(lane)
                && !lane.lane().isStopped();
    }

    /** How far the furthest of all lanes is: a durable consumer starts at the least of those it feeds. */
    private long head() {
        return readers.lanes().stream()
                .mapToLong(lane -> lane.lane().coverage())
                .max()
                .orElse(0);
    }

    /**
     * Otherwise the durable consumer would deliver to all its lanes again what lies between. The coverage of a partition that
     * has no messages in between is moved up first.
     */
    private boolean isNear(Reader reader, LaneRunner lane, long head) {
        if (!isNear(lane, head) && reader.mayAskForLast(ASK_FOR_LAST_NANOS)) {
            idle.cover(reader);
        }
        return isNear(lane, head);
    }

    private boolean isNear(LaneRunner lane, long head) {
        return !context.kind().overlaps() || context.isNear(lane.lane(), head);
    }

    /** Creates a durable consumer for the lanes of {@code old} and the new ones; the old one is deleted afterwards. */
    private boolean replace(@Nullable Reader old, List<LaneRunner> joining) {
        List<LaneRunner> wanted = new ArrayList<>(joining);
        if (old != null) {
            wanted.addAll(old.lanes());
        }
        List<LaneRunner> members = gaps.movable(wanted, readers);
        if (members.isEmpty()) {
            return false;
        }
        if (!context.kind().overlaps()) {
            release(old, joining);
        }
        long start = readers.startOf(members);
        try {
            return readers.openDurable(specs.durable(readers.filters(members), start), start, members, old);
        } catch (StreamRefusedException overlap) {
            readers.refused();
            return false;
        }
    }

    /** On a work queue: the subjects have no consumer until the new one exists; the stream keeps their messages. */
    private void release(@Nullable Reader old, List<LaneRunner> joining) {
        List<Reader> before = new ArrayList<>();
        if (old != null) {
            before.add(old);
        }
        joining.forEach(lane -> {
            Reader reader = readers.readerOf(lane);
            if (reader != null) {
                before.add(reader);
            }
        });
        before.forEach(readers::detachAndRetire);
        readers.deleteRetired();
    }
}

package dev.sluice.log;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What every event log knows about itself besides the events: head, beginning, checkpoint, segments. It decides what an
 * append or an eviction does; the log records that durably, then has it applied here. A decision that could not be
 * recorded is dropped and leaves no trace.
 *
 * <p>Decisions are taken and applied by one thread at a time; {@link #state} and {@link #segments} may be asked by any.
 */
public final class LogBook {
    private final SegmentLimits limits;
    private final Function<ClusterTime, IdsOfOneTime> stored;
    private final SegmentIndex segments;
    private volatile LogState state;
    /** Given up before the state of an eviction is shown: whoever sees that state does not see the birth. */
    private volatile long birth;
    /** The ids of the head's cluster time; null when they must be read again. */
    private @Nullable IdsOfOneTime idsAtHead;

    /** A log to which nothing was ever appended. */
    public LogBook(SegmentLimits limits, Function<ClusterTime, IdsOfOneTime> stored) {
        this(limits, stored, newBirth());
    }

    private LogBook(SegmentLimits limits, Function<ClusterTime, IdsOfOneTime> stored, long birth) {
        this(limits, stored, birth, birth, LogPoint.unstarted(birth), LogPoint.unstarted(birth), null, List.of());
    }

    /** A random number for a new log, its identity and its {@link LogPoint#unstarted birth}. Never 0. */
    public static long newBirth() {
        return ThreadLocalRandom.current().nextLong() | 1;
    }

    /**
     * A log as it was found on disk.
     *
     * @param stored reads the ids that the log holds of one cluster time
     * @param identity that the log keeps for life
     * @param birth as long as nothing was evicted, else 0
     */
    public LogBook(
            SegmentLimits limits,
            Function<ClusterTime, IdsOfOneTime> stored,
            long identity,
            long birth,
            LogPoint head,
            LogPoint evictedThrough,
            @Nullable Checkpoint checkpoint,
            List<Segment> found) {
        this.limits = limits;
        this.stored = stored;
        this.birth = birth;
        this.segments = new SegmentIndex(found);
        this.state = new LogState(identity, head, evictedThrough, checkpoint, segments.events(), segments.bytes());
    }

    public LogState state() {
        return state;
    }

    public List<Segment> segments() {
        return segments.list();
    }

    /** @throws OutOfOrderException for a record older than the head that the log does not have */
    public AppendDecision decideAppend(List<EventRecord> records, @Nullable Checkpoint checkpoint) {
        IdsOfOneTime known = idsAtHead != null ? idsAtHead : stored.apply(headTime());
        idsAtHead = null;
        LogPoint begin = state.started() ? state.evictedThrough() : beginning(records, checkpoint);
        LogPosition head = state.started() ? state.head().position() : begin.position();
        Segment last = segments.isEmpty() ? null : segments.last();
        AppendPlan plan = new AppendPlan(limits, stored, begin, head, known, last);
        records.forEach(plan::add);
        return plan.decision(!state.started(), checkpoint);
    }

    private LogPoint beginning(List<EventRecord> records, @Nullable Checkpoint checkpoint) {
        if (!records.isEmpty()) {
            return LogPoint.before(records.getFirst().clusterTime());
        }
        return checkpoint == null ? state.evictedThrough() : LogPoint.of(checkpoint);
    }

    public void apply(AppendDecision decision) {
        decision.segments().forEach(segments::put);
        List<LogEntry> entries = decision.appended().entries();
        LogPoint head =
                !entries.isEmpty() ? entries.getLast().point() : state.started() ? state.head() : decision.begin();
        Checkpoint checkpoint = decision.checkpoint() != null ? decision.checkpoint() : state.checkpoint();
        state = new LogState(state.identity(), head, decision.begin(), checkpoint, segments.events(), segments.bytes());
        idsAtHead = decision.idsAtHead();
    }

    /**
     * The segments to take out, empty when there is none. From now on reads from before them are refused, also those
     * that start before the decision is recorded: a reader must not open its view in between and see a hole.
     */
    public Optional<EvictDecision> decideEvict(ClusterTime through, Function<ClusterTime, LogPoint> lastOf) {
        List<Segment> oldest = segments.endedBy(through);
        if (oldest.isEmpty()) {
            return Optional.empty();
        }
        LogState before = state;
        LogPoint reached = lastOf.apply(oldest.getLast().last());
        var decision = new EvictDecision(before.evictedThrough(), reached, oldest, birth);
        birth = 0;
        state = new LogState(
                before.identity(), before.head(), reached, before.checkpoint(), before.events(), before.bytes());
        return Optional.of(decision);
    }

    public Eviction apply(EvictDecision decision) {
        segments.removeOldest(decision.segments().size());
        LogState now = state;
        state = new LogState(
                now.identity(),
                now.head(),
                now.evictedThrough(),
                now.checkpoint(),
                segments.events(),
                segments.bytes());
        long events = decision.segments().stream().mapToLong(Segment::events).sum();
        long bytes = decision.segments().stream().mapToLong(Segment::bytes).sum();
        return new Eviction(events, bytes);
    }

    /** The eviction could not be recorded: what it would have taken is still there. */
    public void forget(EvictDecision decision) {
        LogState now = state;
        state = new LogState(
                now.identity(), now.head(), decision.before(), now.checkpoint(), now.events(), now.bytes());
        birth = decision.birth();
    }

    /** Where an id stands, given how to find it among the events of its own cluster time. */
    public Located locate(EventId id, Function<EventId, @Nullable LogPosition> find) {
        LogState now = state;
        if (id.time().equals(ClusterTime.ZERO)) {
            return id.hash() != 0 && id.hash() == birth
                    ? new Located.At(now.evictedThrough().position())
                    : new Located.TooOld(now.evictedThrough().id());
        }
        if (id.equals(now.evictedThrough().id())) {
            return new Located.At(now.evictedThrough().position());
        }
        if (isAhead(id, now)) {
            return new Located.Ahead();
        }
        if (id.time().compareTo(now.evictedThrough().position().time()) < 0) {
            return new Located.TooOld(now.evictedThrough().id());
        }
        LogPosition found = id.hash() == 0 ? null : find.apply(id);
        LogPosition position = found != null ? found : LogPosition.before(id.time());
        return position.compareTo(state.evictedThrough().position()) < 0
                ? new Located.TooOld(state.evictedThrough().id())
                : new Located.At(position);
    }

    /** Hash 0 asks for what comes before that time only, which capture has passed one tick earlier. */
    private static boolean isAhead(EventId id, LogState now) {
        ClusterTime last = id.hash() == 0 && id.time().value() != 0
                ? new ClusterTime(id.time().value() - 1)
                : id.time();
        return last.compareTo(now.capturedThrough()) > 0;
    }

    private ClusterTime headTime() {
        return state.head().position().time();
    }
}

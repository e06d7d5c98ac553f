package dev.sluice.worker.consume;

import dev.sluice.coordinate.Clockwork;
import dev.sluice.worker.LaneStatus.Source;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.lane.Lane;
import dev.sluice.worker.lane.LaneRunner;
import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.ConsumerState;
import dev.sluice.worker.stream.StreamRefusedException;
import dev.sluice.worker.stream.StreamState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps every lane of one worker fed: new and broken-off lanes by catch-up readers, those that are up to date by the durable
 * consumer. A consumer always starts at or below the coverage of the lanes it feeds, and a lane leaves one consumer only
 * when the next one exists; so nothing is missed, and lanes recognise what comes twice.
 */
public final class Feeding {
    private static final Logger LOG = LoggerFactory.getLogger(Feeding.class);
    private static final Duration TICK = Duration.ofMillis(250);
    /** Consumers for 500 partitions, one after the other, took 2.5 to 7 s on a busy machine. */
    private static final int CREATIONS_AT_A_TIME = 8;

    private static final Duration AFTER_NO_ANSWER = Duration.ofMillis(500);
    private static final long FULL_FOR_NANOS = Duration.ofMillis(500).toNanos();
    private static final long QUIET_AFTER_BLOCKING_NANOS = Duration.ofSeconds(5).toNanos();
    private static final long ASK_FOR_LAST_NANOS = Duration.ofSeconds(1).toNanos();

    /** The problem of a worker that owns more partitions than its durable consumers may filter. */
    private static final String SUBJECT_CAP = "subject-cap";

    /** How many times max_ack_pending a lane may be behind the others when it joins their consumer. */
    private static final int NEAR_HEAD = 10;

    private static final long IDLE_FOR_NANOS = Duration.ofMinutes(1).toNanos();

    /** Behind by more than so many times max_ack_pending of the stream's messages, a lane has a backlog. */
    private static final long BACKLOG_BATCHES = 10;

    private final WorkerContext context;
    private final ConsumerSpecs specs;
    private final IntPredicate hasSuccessor;
    private final RetiredConsumers retired;
    private final ConsumerUpdates updates;
    private final UpdatePace pace;
    private final GapCheck gaps;
    private final ParallelCalls creations;
    private final Clockwork.Signal wake;
    private final Clockwork.Signal wakeDeletes;
    private final int laneLimit;
    private final Map<Integer, LaneRunner> lanes = new ConcurrentHashMap<>();
    private final List<Reader> durables = new CopyOnWriteArrayList<>();
    private final List<Reader> catchUps = new CopyOnWriteArrayList<>();
    private final ReadAhead readAhead;
    private volatile boolean closed;
    private volatile long changes;
    private long seenChanges;
    private boolean updated;
    private int feedFrom;
    private final Map<Integer, Long> blockedAt = new ConcurrentHashMap<>();

    /** @param hasSuccessor on interest streams: whether the next owner of a partition has a consumer for it */
    public Feeding(
            WorkerContext context,
            ConsumerSpecs specs,
            IntPredicate hasSuccessor,
            Clockwork.Signal wake,
            Clockwork.Signal wakeDeletes) {
        this.context = context;
        this.specs = specs;
        this.hasSuccessor = hasSuccessor;
        this.wake = wake;
        this.wakeDeletes = wakeDeletes;
        this.retired = new RetiredConsumers(context);
        this.updates = new ConsumerUpdates(context, retired, this::mayBeDeleted);
        this.gaps = new GapCheck(context);
        this.creations = new ParallelCalls(context.clockwork(), CREATIONS_AT_A_TIME);
        this.pace = new UpdatePace(
                context.settings().minUpdateInterval(), context.clockwork().nanos(), specs.jitterSeed());
        this.readAhead = new ReadAhead(Reader.capacity(context.settings()), () -> durables.size() + catchUps.size());
        this.laneLimit = Math.max(1, context.settings().maxAckPending() / 4);
    }

    /** A partition that this worker owns now. */
    public void add(LaneRunner lane) {
        LaneRunner before = lanes.put(lane.lane().partition().index(), lane);
        if (before != null && before != lane) {
            remove(before);
        }
        changed();
    }

    /** A partition that is another worker's from now on; its queue is dropped. */
    public void remove(LaneRunner lane) {
        Lane left = lane.lane();
        lanes.remove(left.partition().index(), lane);
        Reader reader = readerOf(lane);
        if (reader != null) {
            reader.detach(lane);
        }
        if (context.kind().acksStrays()) {
            left.settleEarly();
        }
        left.drop();
        gaps.forget(left);
        changed();
    }

    private synchronized void changed() {
        changes++;
        wake.raise();
    }

    /** Whether no consumer of this worker has the partition any more. */
    public boolean isReleased(String filter) {
        return !retired.have(filter)
                && readers().stream().noneMatch(reader -> reader.filters().contains(filter));
    }

    /** All consumers may have lost deliveries: the connection was lost. */
    public void breakAll(String reason) {
        readers().forEach(reader -> reader.broken(reason));
    }

    /** Looks at all readers and lanes once. Returns the pause until the next look, unless woken. */
    public Duration step() {
        long before = changes;
        updated = false;
        retireBroken();
        detachComplete();
        detachBlocking();
        leave();
        boolean answered = feed();
        join();
        coverIdle();
        retireEmpty();
        if (before != seenChanges && !updated) {
            context.counters().updatesSkipped.increment();
        }
        seenChanges = before;
        readers().forEach(Reader::pullMore);
        return answered ? shorter(TICK, pace) : AFTER_NO_ANSWER;
    }

    /** Deletes consumers that are used no more: apart from the rest, because a server that is down answers late or never. */
    public Duration deleteRetired() {
        retired.step();
        return TICK;
    }

    private Duration shorter(Duration tick, UpdatePace due) {
        Duration until = due.untilDue(context.clockwork().nanos());
        return until.isPositive() && until.compareTo(tick) < 0 ? until : tick;
    }

    private void retireBroken() {
        for (Reader reader : readers()) {
            String why = reader.brokenBy();
            if (why != null) {
                LOG.info("Consumer {} is replaced: {}", reader.name(), why);
                context.trouble().begins();
                reader.lanes().forEach(reader::detach);
                retire(reader);
            }
        }
    }

    private void retire(Reader reader) {
        reader.close();
        durables.remove(reader);
        catchUps.remove(reader);
        List<String> filters = List.copyOf(reader.filters());
        retired.add(reader.name(), filters, () -> mayBeDeleted(filters));
        wakeDeletes.raise();
    }

    /** On interest streams a partition needs another consumer first: its own next one, or its next owner's. */
    private boolean mayBeDeleted(Collection<String> filters) {
        return context.kind() != StreamKind.INTEREST || filters.stream().allMatch(this::isCoveredElsewhere);
    }

    private boolean isCoveredElsewhere(String filter) {
        return context.partitions()
                .withFilter(filter)
                .map(partition -> {
                    LaneRunner lane = lanes.get(partition.index());
                    return lane != null
                            ? lane.lane().isFed() || lane.lane().isComplete()
                            : hasSuccessor.test(partition.index());
                })
                .orElse(false);
    }

    /** A closed partition that is handled to its end needs no consumer. */
    private void detachComplete() {
        for (Reader reader : readers()) {
            reader.lanes().stream().filter(lane -> lane.lane().isComplete()).forEach(reader::detach);
        }
    }

    /** A lane that does not go on must not fill a consumer that others need. */
    private void detachBlocking() {
        if (context.isPaused()) {
            return;
        }
        long now = context.clockwork().nanos();
        for (Reader reader : readers()) {
            Collection<LaneRunner> fed = reader.lanes();
            boolean others = !fed.stream().allMatch(LaneRunner::isWaiting);
            int left = fed.size();
            for (LaneRunner lane : fed) {
                boolean shared = others && left > 1;
                if (shared && lane.lane().isBlockingFor(isBlocking(reader, lane), FULL_FOR_NANOS, now)) {
                    left--;
                    blockedAt.put(lane.lane().partition().index(), now);
                    reader.detach(lane);
                    if (context.kind().acksStrays()) {
                        lane.lane().settleEarly();
                    }
                }
            }
        }
    }

    /** While the reader has room, a long queue does not delay other lanes. */
    private static boolean isBlocking(Reader reader, LaneRunner lane) {
        if (!reader.isFull()) {
            return false;
        }
        int queued = lane.lane().size();
        return queued > 0 && (lane.isWaiting() || queued > reader.shareOfALane());
    }

    private boolean overlaps() {
        return context.kind().overlaps();
    }

    /** Gives a catch-up reader to every lane that has none; false when the server gave no answer. */
    private boolean feed() {
        List<LaneRunner> unfed = lanes.values().stream().filter(this::wantsFeed).toList();
        if (unfed.isEmpty() || context.isPaused()) {
            return true;
        }
        StreamState state = context.stream().state();
        List<LaneRunner> ready =
                unfed.stream().filter(lane -> gaps.passes(lane.lane(), state)).toList();
        List<List<LaneRunner>> groups = new ArrayList<>(groups(ready, state.last()));
        // Behind the group that gave no answer the last time: it must not keep the others waiting for ever.
        Collections.rotate(groups, -feedFrom);
        List<BooleanSupplier> calls = new ArrayList<>();
        groups.forEach(group -> calls.add(() -> catchUp(group)));
        // For the case that it throws.
        feedFrom++;
        OptionalInt begun = creations.run("worker-creates", calls);
        feedFrom = begun.isEmpty() ? 0 : feedFrom - 1 + begun.getAsInt();
        return begun.isEmpty();
    }

    private boolean wantsFeed(LaneRunner runner) {
        Lane lane = runner.lane();
        // Elsewhere the next consumer delivers what is queued again, and takes it off the one before.
        boolean hasRoom = context.kind() != StreamKind.LIMITS || lane.size() <= laneLimit / 2;
        return !lane.isFed() && !lane.isStopped() && hasRoom && !lane.isComplete();
    }

    /**
     * Few lanes with a backlog get a reader each: with several filters the server searches all subjects of a block for
     * every message (measured: 330 µs against 24 µs with 2,000 subjects).
     *
     * @param last the last sequence of the stream
     */
    private List<List<LaneRunner>> groups(List<LaneRunner> ready, long last) {
        if (ready.isEmpty()) {
            return List.of();
        }
        boolean backlog = last - startOf(ready) > context.settings().maxAckPending() * BACKLOG_BATCHES;
        boolean shared = context.settings().consumers() == ConsumerMode.PER_WORKER
                && overlaps()
                && !(backlog && ready.size() <= NearCursors.MOST_GROUPS);
        if (!shared) {
            return ready.stream().map(List::of).toList();
        }
        // Those that wait for their handlers or for dead letters would be in the way of the others again.
        List<List<LaneRunner>> groups = new ArrayList<>();
        for (boolean waiting : new boolean[] {false, true}) {
            List<LaneRunner> together =
                    ready.stream().filter(lane -> lane.isWaiting() == waiting).toList();
            if (!together.isEmpty()) {
                groups.addAll(NearCursors.groups(together, context.settings().maxAckPending()));
            }
        }
        return groups;
    }

    /** False when the server gave no answer. */
    private boolean catchUp(List<LaneRunner> group) {
        long start = startOf(group);
        ConsumerSpec spec = specs.catchUp(filters(group), start);
        try {
            Reader reader = create(spec, false, start, List.of());
            if (reader == null) {
                return false;
            }
            begin(reader, catchUps, () -> group.forEach(lane -> attach(reader, lane)));
        } catch (StreamRefusedException overlap) {
            wakeDeletes.raise();
        }
        return true;
    }

    /** A reader that could not be opened, whatever was thrown, must not count as one that feeds its lanes. */
    private void begin(Reader reader, List<Reader> among, Runnable attachLanes) {
        try {
            among.add(reader);
            attachLanes.run();
            reader.open();
        } catch (RuntimeException | Error failed) {
            reader.broken("it could not be pulled from: " + failed);
            throw failed;
        }
        if (closed) {
            retire(reader);
        }
    }

    /** The lane may be removed by another thread meanwhile: then it must not stay attached. */
    private void attach(Reader reader, LaneRunner lane) {
        reader.attach(lane);
        if (lanes.get(lane.lane().partition().index()) != lane) {
            reader.detach(lane);
        }
    }

    /**
     * Null when it failed: then there is no such consumer, or it is deleted later.
     *
     * @throws StreamRefusedException on a work queue, when an earlier consumer still has the subjects
     */
    private @Nullable Reader create(ConsumerSpec spec, boolean durable, long start, Collection<String> before) {
        ConsumerState state = updates.create(spec, before);
        if (state == null) {
            return null;
        }
        Reader reader = new Reader(spec, durable, start, state, context, readAhead, wake::raise);
        // The answer to a creation is its leader's.
        reader.baseline(state);
        if (closed) {
            retired.add(spec.name(), spec.filters(), () -> mayBeDeleted(spec.filters()));
            return null;
        }
        return reader;
    }

    /** Takes partitions out of consumers that no longer feed them. */
    private void leave() {
        if (context.trouble().lasts()) {
            return;
        }
        for (Reader durable : readers()) {
            // On interest streams it also depends on the partitions' next owners.
            if (context.kind() != StreamKind.INTEREST && durable.hasFiltersOfItsLanes()) {
                continue;
            }
            List<String> wanted = wantedFilters(durable);
            boolean surplus = !durable.filters().equals(new TreeSet<>(wanted)) && !wanted.isEmpty();
            // On a work queue the next owner can begin only when the filter is gone.
            boolean unpaced = context.kind() == StreamKind.WORK_QUEUE || !durable.isDurable();
            if (surplus && (unpaced || pace.isDue(context.clockwork().nanos()))) {
                boolean done = updates.changeFilters(durable.spec().withFilters(wanted), durable.filters());
                if (!unpaced) {
                    paced(done);
                }
                if (done) {
                    durable.filters(wanted);
                }
            }
        }
    }

    private List<String> wantedFilters(Reader durable) {
        TreeSet<String> wanted = new TreeSet<>();
        durable.lanes().forEach(lane -> wanted.add(lane.lane().partition().filter()));
        if (context.kind() == StreamKind.INTEREST) {
            durable.filters().stream()
                    .filter(filter -> !isCoveredElsewhere(filter))
                    .forEach(wanted::add);
        }
        return List.copyOf(wanted);
    }

    private void paced(boolean done) {
        updated = true;
        long now = context.clockwork().nanos();
        if (done) {
            pace.succeeded(now);
        } else {
            pace.failed(now);
        }
    }

    /** Moves lanes that are up to date from their catch-up readers to a durable consumer. */
    private void join() {
        if (context.settings().consumers() != ConsumerMode.PER_WORKER
                || !pace.isDue(context.clockwork().nanos())) {
            return;
        }
        if (lanes.size()
                <= context.settings().maxSubjects() * (long) context.settings().shards()) {
            context.problems().clear(SUBJECT_CAP);
        }
        List<LaneRunner> candidates = candidates();
        if (candidates.isEmpty()) {
            return;
        }
        int most = context.settings().maxSubjects();
        @Nullable Reader target = null;
        for (Reader durable : durables) {
            target = target == null && durable.lanes().size() < most ? durable : target;
        }
        if (target == null && durables.size() >= context.settings().shards()) {
            context.problems()
                    .error(
                            SUBJECT_CAP,
                            "This worker owns " + lanes.size() + " partitions; its " + durables.size()
                                    + " durable consumer(s) take " + most + " each (max_subjects). " + candidates.size()
                                    + " are handled from consumers of their own, which cost the server more: start more"
                                    + " workers, raise shards, use hashed partitions, or choose per-partition"
                                    + " consumers.");
            return;
        }
        int room = target == null ? most : most - target.lanes().size();
        paced(replace(target, candidates.subList(0, Math.min(room, candidates.size()))));
    }

    private List<LaneRunner> candidates() {
        boolean joins = !catchUps.isEmpty()
                && (overlaps() || catchUps.size() > context.settings().maxSingles());
        List<LaneRunner> near = new ArrayList<>();
        if (!joins) {
            return near;
        }
        long head = head();
        for (Reader reader : catchUps) {
            if (reader.isNearEnd() || !overlaps()) {
                reader.lanes().stream()
                        .filter(lane -> lane.lane().size() <= laneLimit / 2
                                && !lane.isWaiting()
                                && !hasBlocked(lane)
                                && !lane.lane().isStopped())
                        .filter(lane -> isNear(reader, lane, head))
                        .forEach(near::add);
            }
        }
        return near;
    }

    /** Or it would come and go with each burst. */
    private boolean hasBlocked(LaneRunner lane) {
        Long at = blockedAt.get(lane.lane().partition().index());
        return at != null && context.clockwork().nanos() - at < QUIET_AFTER_BLOCKING_NANOS;
    }

    /** How far the furthest of all lanes is: a durable consumer starts at the least of those it feeds. */
    private long head() {
        return lanes.values().stream()
                .mapToLong(lane -> lane.lane().coverage())
                .max()
                .orElse(0);
    }

    /** Or all others would be given again what lies between. A partition without messages in between is brought up first. */
    private boolean isNear(Reader reader, LaneRunner lane, long head) {
        if (!isNear(lane, head) && reader.mayAskForLast(ASK_FOR_LAST_NANOS)) {
            cover(reader);
        }
        return isNear(lane, head);
    }

    private boolean isNear(LaneRunner lane, long head) {
        return !overlaps()
                || head - lane.lane().coverage()
                        <= NEAR_HEAD * (long) context.settings().maxAckPending();
    }

    /** Creates a durable consumer for the lanes of {@code old} and the new ones; the old one is deleted afterwards. */
    private boolean replace(@Nullable Reader old, List<LaneRunner> joining) {
        List<LaneRunner> members = new ArrayList<>(joining);
        if (old != null) {
            members.addAll(old.lanes());
        }
        if (!overlaps()) {
            release(old, joining);
        }
        long start = startOf(members);
        ConsumerSpec spec = specs.durable(filters(members), start);
        Reader durable = createDurable(spec, start, old == null ? List.of() : old.filters());
        if (durable == null) {
            return false;
        }
        begin(durable, durables, () -> {
            members.forEach(lane -> moveTo(durable, lane));
            if (old != null) {
                retire(old);
            }
        });
        return true;
    }

    private @Nullable Reader createDurable(ConsumerSpec spec, long start, Collection<String> before) {
        try {
            return create(spec, true, start, before);
        } catch (StreamRefusedException overlap) {
            wakeDeletes.raise();
            return null;
        }
    }

    /** On a work queue: the subjects have no consumer until the new one exists; the stream keeps their messages. */
    private void release(@Nullable Reader old, List<LaneRunner> joining) {
        List<Reader> before = new ArrayList<>();
        if (old != null) {
            before.add(old);
        }
        joining.forEach(lane -> {
            Reader reader = readerOf(lane);
            if (reader != null) {
                before.add(reader);
            }
        });
        for (Reader reader : before) {
            reader.lanes().forEach(reader::detach);
            retire(reader);
        }
        retired.step();
    }

    private void moveTo(Reader durable, LaneRunner lane) {
        Reader before = readerOf(lane);
        if (before != null) {
            before.detach(lane);
        }
        attach(durable, lane);
    }

    private void retireEmpty() {
        for (Reader reader : readers()) {
            boolean keepsInterest = context.kind() == StreamKind.INTEREST && !mayBeDeleted(reader.filters());
            if (reader.isEmpty() && !keepsInterest) {
                retire(reader);
            }
        }
    }

    /** Nothing of the filters lies between the coverage and the stream's end: the cursors of idle partitions move along. */
    private void coverIdle() {
        for (Reader reader : readers()) {
            if (reader.isIdleFor(IDLE_FOR_NANOS) && reader.unsettled() == 0) {
                cover(reader);
            }
        }
    }

    /** The stream's end is read first, then the last message of each filter: what is published meanwhile is above both. */
    private void cover(Reader reader) {
        long last = context.stream().state().last();
        long coverage = reader.noted();
        boolean idle = reader.filters().stream()
                .allMatch(filter -> context.stream().lastOf(filter).orElse(0) <= coverage);
        reader.cover(idle ? last : coverage);
    }

    /**
     * The start sequence of a consumer for these lanes. On an interest stream at the first unfinished message: what no consumer needs
     * is erased there, also while it is queued here.
     */
    private long startOf(Collection<LaneRunner> group) {
        boolean interest = context.kind() == StreamKind.INTEREST;
        return 1
                + group.stream()
                        .map(LaneRunner::lane)
                        .mapToLong(lane -> interest ? lane.finishedTo() : lane.coverage())
                        .min()
                        .orElse(0);
    }

    private List<String> filters(Collection<LaneRunner> group) {
        TreeSet<String> filters = new TreeSet<>();
        group.forEach(lane -> filters.add(lane.lane().partition().filter()));
        context.counters().duplicateSubjects.add(group.size() - filters.size());
        return List.copyOf(filters);
    }

    private @Nullable Reader readerOf(LaneRunner lane) {
        // Not by the lane's feed: a lane that is being given up has none, and its reader still has the lane.
        for (Reader reader : readers()) {
            if (reader.feeds(lane)) {
                return reader;
            }
        }
        return null;
    }

    List<Reader> readers() {
        List<Reader> all = new ArrayList<>(durables);
        all.addAll(catchUps);
        return all;
    }

    public List<String> consumers() {
        return readers().stream().map(Reader::name).toList();
    }

    public int subjects() {
        return durables.stream().mapToInt(durable -> durable.filters().size()).sum();
    }

    public long pending() {
        return readers().stream().mapToLong(Reader::pending).sum();
    }

    public Source sourceOf(Lane lane) {
        if (lane.feed() instanceof Reader reader) {
            return reader.isDurable() ? Source.DURABLE : Source.CATCH_UP;
        }
        return Source.NONE;
    }

    /** Messages the server has not delivered on the consumer that feeds this lane. */
    public long lagOf(Lane lane) {
        return lane.feed() instanceof Reader reader ? reader.pending() : 0;
    }

    public boolean isStoppedByGap(Lane lane) {
        return gaps.isStopped(lane);
    }

    /** Stops receiving and deletes this worker's consumers, except on interest streams, where messages need them. */
    public void close() {
        closed = true;
        List<Reader> all = readers();
        all.forEach(reader -> {
            reader.lanes().forEach(reader::detach);
            retire(reader);
        });
        retired.deleteSome();
    }
}

package dev.sluice.worker.consume;

import dev.sluice.coordinate.Clockwork;
import dev.sluice.worker.lane.Lane;
import dev.sluice.worker.lane.LaneRunner;
import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.ConsumerState;
import dev.sluice.worker.stream.StreamRefusedException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of one worker and the readers that feed them: durable ones, and catch-up readers for lanes that are behind. A
 * consumer always starts at or below the coverage of the lanes it feeds. One that is used no more is retired: deleted once
 * no message needs it.
 */
final class Readers {
    /** The other workers of the group. */
    interface Others {
        /** On interest streams: whether the next owner of a partition has a consumer for it. */
        boolean haveConsumerOf(int partition);

        /** On a work queue the server refused a consumer, because another one has its subjects. */
        void subjectsTaken();
    }

    private final WorkerContext context;
    private final Others others;
    private final RetiredConsumers retired;
    private final ConsumerUpdates updates;
    private final ReadAhead readAhead;
    private final Clockwork.Signal wake;
    private final Clockwork.Signal wakeDeletes;
    private final Map<Integer, LaneRunner> lanes = new ConcurrentHashMap<>();
    private final List<Reader> durables = new CopyOnWriteArrayList<>();
    private final List<Reader> catchUps = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    /**
     * @param wake raised when a reader broke or came near the end
     * @param wakeDeletes raised when a consumer is to be deleted
     */
    Readers(WorkerContext context, Others others, Clockwork.Signal wake, Clockwork.Signal wakeDeletes) {
        this.context = context;
        this.others = others;
        this.wake = wake;
        this.wakeDeletes = wakeDeletes;
        this.retired = new RetiredConsumers(context);
        this.updates = new ConsumerUpdates(context, retired, this::mayBeDeleted);
        this.readAhead = new ReadAhead(Reader.capacity(context.settings()), () -> durables.size() + catchUps.size());
    }

    /** Returns the lane that this one replaces, or null. */
    @Nullable
    LaneRunner add(LaneRunner lane) {
        return lanes.put(lane.lane().partition().index(), lane);
    }

    void remove(LaneRunner lane) {
        lanes.remove(lane.lane().partition().index(), lane);
        detach(lane);
    }

    /** The lane leaves the reader that feeds it. */
    void detach(LaneRunner lane) {
        Reader reader = readerOf(lane);
        if (reader != null) {
            reader.detach(lane);
        }
    }

    Collection<LaneRunner> lanes() {
        return lanes.values();
    }

    List<Reader> durables() {
        return durables;
    }

    List<Reader> catchUps() {
        return catchUps;
    }

    List<Reader> all() {
        List<Reader> all = new ArrayList<>(durables);
        all.addAll(catchUps);
        return all;
    }

    @Nullable
    Reader readerOf(LaneRunner lane) {
        // Not by the lane's feed: a lane that is being given up has none, and its reader still has the lane.
        for (Reader reader : all()) {
            if (reader.feeds(lane)) {
                return reader;
            }
        }
        return null;
    }

    /** Whether no consumer of this worker has the filter any more. */
    boolean isReleased(String filter) {
        return !retired.have(filter)
                && all().stream().noneMatch(reader -> reader.filters().contains(filter));
    }

    /**
     * The start sequence of a consumer for these lanes. On an interest stream at the first unfinished message: what no
     * consumer needs is erased there, also while it is queued here.
     */
    long startOf(Collection<LaneRunner> group) {
        boolean interest = context.kind() == StreamKind.INTEREST;
        return 1
                + group.stream()
                        .map(LaneRunner::lane)
                        .mapToLong(lane -> interest ? lane.finishedTo() : lane.coverage())
                        .min()
                        .orElse(0);
    }

    List<String> filters(Collection<LaneRunner> group) {
        TreeSet<String> filters = new TreeSet<>();
        group.forEach(lane -> filters.add(lane.lane().partition().filter()));
        context.counters().duplicateSubjects.add(group.size() - filters.size());
        return List.copyOf(filters);
    }

    /**
     * Creates a catch-up consumer and moves the lanes to it. False when the server gave no answer: then they stay where they
     * are.
     *
     * @throws StreamRefusedException on a work queue, when an earlier consumer still has the subjects
     */
    boolean openCatchUp(ConsumerSpec spec, long start, Collection<LaneRunner> group) {
        Reader reader = create(spec, false, start, List.of());
        if (reader == null) {
            return false;
        }
        begin(reader, catchUps, () -> group.forEach(lane -> moveTo(reader, lane)));
        return true;
    }

    /**
     * Creates a durable consumer, moves the lanes to it, and retires the durable it replaces. False when it failed.
     *
     * @throws StreamRefusedException on a work queue, when an earlier consumer still has the subjects
     */
    boolean openDurable(ConsumerSpec spec, long start, Collection<LaneRunner> members, @Nullable Reader replaced) {
        Reader durable = create(spec, true, start, replaced == null ? List.of() : replaced.filters());
        if (durable == null) {
            return false;
        }
        begin(durable, durables, () -> {
            members.forEach(lane -> moveTo(durable, lane));
            if (replaced != null) {
                retire(replaced);
            }
        });
        return true;
    }

    /** Null when it failed: then there is no such consumer, or it is deleted later. */
    private @Nullable Reader create(ConsumerSpec spec, boolean durable, long start, Collection<String> before) {
        ConsumerState state = updates.create(spec, before);
        if (state == null) {
            return null;
        }
        try {
            Reader reader = new Reader(spec, durable, start, state, context, readAhead, wake::raise);
            // The answer to a creation is its leader's.
            reader.baseline(state);
            if (!closed) {
                return reader;
            }
        } catch (RuntimeException | Error failed) {
            retire(spec.name(), spec.filters());
            throw failed;
        }
        retire(spec.name(), spec.filters());
        return null;
    }

    /** A reader that could not be opened, whatever was thrown, must not count as one that feeds its lanes. */
    private void begin(Reader reader, List<Reader> among, Runnable attachLanes) {
        try {
            among.add(reader);
            attachLanes.run();
            reader.open();
        } catch (RuntimeException | Error failed) {
            if (among.contains(reader)) {
                reader.broken("it could not be pulled from: " + failed);
            } else {
                retire(reader);
            }
            throw failed;
        }
        if (closed) {
            retire(reader);
        }
    }

    private void moveTo(Reader reader, LaneRunner lane) {
        detach(lane);
        attach(reader, lane);
    }

    /** The lane may be removed by another thread meanwhile: then it must not stay attached. */
    private void attach(Reader reader, LaneRunner lane) {
        reader.attach(lane);
        if (lanes.get(lane.lane().partition().index()) != lane) {
            reader.detach(lane);
        }
    }

    /** Whether the consumer has these filters now. */
    boolean changeFilters(Reader reader, List<String> wanted) {
        boolean done = updates.changeFilters(reader.spec().withFilters(wanted), reader.filters());
        if (done) {
            reader.filters(wanted);
        }
        return done;
    }

    /** Ends a reader; its consumer is deleted when it may be. */
    void retire(Reader reader) {
        reader.close();
        durables.remove(reader);
        catchUps.remove(reader);
        retire(reader.name(), List.copyOf(reader.filters()));
    }

    /** Deletes a consumer when it may be. */
    void retire(String consumer, List<String> filters) {
        retired.add(consumer, filters, () -> mayBeDeleted(filters));
        wakeDeletes.raise();
    }

    void detachAndRetire(Reader reader) {
        reader.lanes().forEach(reader::detach);
        retire(reader);
    }

    /** The server refused a consumer: one that this worker no longer uses has its subjects, or one of a dead worker. */
    void refused() {
        wakeDeletes.raise();
        others.subjectsTaken();
    }

    /** Deletes retired consumers that may be deleted. */
    void deleteRetired() {
        retired.step();
    }

    /** On interest streams a partition needs another consumer first: its own next one, or its next owner's. */
    boolean mayBeDeleted(Collection<String> filters) {
        return context.kind() != StreamKind.INTEREST || filters.stream().allMatch(this::isCoveredElsewhere);
    }

    boolean isCoveredElsewhere(String filter) {
        return context.partitions()
                .withFilter(filter)
                .map(partition -> {
                    LaneRunner runner = lanes.get(partition.index());
                    if (runner == null) {
                        return others.haveConsumerOf(partition.index());
                    }
                    Lane lane = runner.lane();
                    return lane.isFed() || lane.isComplete();
                })
                .orElse(false);
    }

    /** Ends all readers, and deletes for a short time what may be deleted. */
    void close() {
        closed = true;
        all().forEach(this::detachAndRetire);
        retired.deleteSome();
    }
}

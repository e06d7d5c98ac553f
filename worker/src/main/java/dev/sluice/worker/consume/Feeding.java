package dev.sluice.worker.consume;

import dev.sluice.coordinate.Clockwork;
import dev.sluice.worker.LaneStatus.Source;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.lane.Lane;
import dev.sluice.worker.lane.LaneRunner;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps every lane of one worker fed: new and broken-off lanes by catch-up readers, those that are up to date by the durable
 * consumer. A lane leaves one consumer only when the next one exists; so nothing is missed, and lanes recognise what comes
 * twice.
 */
public final class Feeding {
    private static final Logger LOG = LoggerFactory.getLogger(Feeding.class);
    private static final Duration TICK = Duration.ofMillis(250);
    private static final int CONSUMERS_REFRESHED = 20;
    private static final Duration AFTER_NO_ANSWER = Duration.ofMillis(500);

    private final WorkerContext context;
    private final Readers readers;
    private final UpdatePace pace;
    private final GapCheck gaps;
    private final BlockingLanes blocking;
    private final Splitting splitting;
    private final Leaving leaving;
    private final UnfedLanes unfed;
    private final Joining joining;
    private final IdleCoverage idle;
    private final FilterCheck filters;
    private final Clockwork.Signal wake;
    private volatile long changes;
    private long seenChanges;

    Feeding(
            WorkerContext context,
            ConsumerSpecs specs,
            Readers.Others others,
            Clockwork.Signal wake,
            Clockwork.Signal wakeDeletes) {
        this.context = context;
        this.wake = wake;
        this.readers = new Readers(context, others, wake, wakeDeletes);
        this.pace = new UpdatePace(
                context.settings().minUpdateInterval(), context.clockwork().nanos(), specs.jitterSeed());
        this.gaps = new GapCheck(context);
        this.blocking = new BlockingLanes(context, readers);
        this.splitting = new Splitting(context, readers, specs, gaps);
        this.leaving = new Leaving(context, readers, pace);
        this.unfed = new UnfedLanes(context, readers, specs, gaps);
        this.idle = new IdleCoverage(context, readers);
        this.filters = new FilterCheck(context, readers);
        this.joining = new Joining(context, readers, specs, pace, blocking, idle, gaps);
    }

    /** A partition that this worker owns now. */
    public void add(LaneRunner lane) {
        LaneRunner before = readers.add(lane);
        if (before != null && before != lane) {
            remove(before);
        }
        changed();
    }

    /** A partition that is another worker's from now on; its queue is dropped. */
    public void remove(LaneRunner lane) {
        readers.remove(lane);
        Lane left = lane.lane();
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
        return readers.isReleased(filter);
    }

    /** All consumers may have lost deliveries: the connection was lost. */
    public void breakAll(String reason) {
        readers().forEach(reader -> reader.broken(reason));
    }

    /** Looks at all readers and lanes once. Returns the pause until the next look, unless woken. */
    public Duration step() {
        try {
            return look();
        } finally {
            // Restarts lanes whose thread could not be started when their message arrived.
            readers.lanes().forEach(LaneRunner::kick);
        }
    }

    private Duration look() {
        long before = changes;
        long updates = pace.updates();
        retireBroken();
        detachEnded();
        blocking.detach();
        leaving.leave();
        boolean answered = unfed.feed();
        joining.join();
        // Behind unfed lanes: lanes that change their consumer are fed meanwhile.
        splitting.split();
        idle.coverIdle();
        retireEmpty();
        filters.check();
        if (before != seenChanges && updates == pace.updates()) {
            context.counters().updatesSkipped.increment();
        }
        seenChanges = before;
        readers().forEach(Reader::pullMore);
        return answered ? untilNextLook() : AFTER_NO_ANSWER;
    }

    private Duration untilNextLook() {
        Duration until = pace.untilDue(context.clockwork().nanos());
        return until.isPositive() && until.compareTo(TICK) < 0 ? until : TICK;
    }

    /** Deletes consumers that are used no more: apart from the rest, because a server that is down answers late or never. */
    public Duration deleteRetired() {
        readers.deleteRetired();
        return TICK;
    }

    private void retireBroken() {
        for (Reader reader : readers()) {
            String why = reader.brokenBy();
            if (why != null) {
                LOG.info("Consumer {} is replaced: {}", reader.name(), why);
                context.trouble().begins();
                readers.detachAndRetire(reader);
            }
        }
    }

    /** A closed partition that is handled to its end needs no consumer; one that was opened again needs another one. */
    private void detachEnded() {
        for (Reader reader : readers()) {
            reader.lanes().stream()
                    .filter(lane -> lane.lane().isComplete() || lane.lane().feed() != reader)
                    .forEach(reader::detach);
        }
    }

    private void retireEmpty() {
        for (Reader reader : readers()) {
            if (reader.isEmpty() && readers.mayBeDeleted(reader.filters())) {
                readers.retire(reader);
            }
        }
    }

    List<Reader> readers() {
        return readers.all();
    }

    public List<String> consumers() {
        return readers().stream().map(Reader::name).toList();
    }

    /** Filters of the durable consumers. */
    public int subjects() {
        return readers.durables().stream()
                .mapToInt(durable -> durable.filters().size())
                .sum();
    }

    /** Messages the server has not delivered on this worker's consumers. */
    public long pending() {
        return readers().stream().mapToLong(Reader::pending).sum();
    }

    /** Asks for the pending messages of the consumers with the most: the server tells them with a delivery only. */
    public void refreshPending() {
        readers().stream()
                .sorted(Comparator.comparingLong(Reader::pending).reversed())
                .limit(CONSUMERS_REFRESHED)
                .forEach(reader ->
                        context.stream().consumers().info(reader.name()).ifPresent(reader::refreshPending));
    }

    /** Whether lanes have the consumers of the present mode, except lanes that are behind, waiting or without a consumer. */
    public boolean isSwitched() {
        return context.mode() == ConsumerMode.PER_PARTITION
                ? splitting.sharing().isEmpty()
                : joining.isDone();
    }

    /** Deletes a consumer of this worker that feeds no lane; on limits streams. */
    public void retire(String consumer) {
        readers.retire(consumer, List.of());
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
        readers.close();
    }
}

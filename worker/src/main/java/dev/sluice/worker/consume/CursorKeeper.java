package dev.sluice.worker.consume;

import dev.sluice.coordinate.Clockwork;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.model.InvalidInputException;
import dev.sluice.worker.cursor.CursorStore;
import dev.sluice.worker.cursor.CursorTable;
import dev.sluice.worker.lane.Lane;
import dev.sluice.worker.lane.LaneRunner;
import dev.sluice.worker.stream.ConsumerState;
import dev.sluice.worker.stream.StreamUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Writes the cursors of one life of a worker, at most twice a second. Before each write it asks every consumer that could have
 * moved to another server whether it is still the one that delivered: only then its coverage counts.
 */
public final class CursorKeeper implements LaneRunner.Recorder {
    private static final Duration INTERVAL = Duration.ofMillis(500);
    private static final Duration RECORD_INTERVAL = Duration.ofMillis(20);
    private static final Duration LONG_ENOUGH_ALIVE = Duration.ofSeconds(60);

    private static final String PROBLEM = "cursors";
    private static final String TOO_MANY_FINISHED = "cursors-cut";

    private final WorkerContext context;
    private final Feeding feeding;
    private final CursorStore.Writer writer;
    private final Map<Integer, Kept> lanes = new ConcurrentHashMap<>();
    private final Map<Integer, CursorTable.Entry> leftBehind = new TreeMap<>();
    private final Clockwork.Signal turn;
    private boolean writing;
    private CursorTable written = new CursorTable(Map.of());
    private long progressAt;
    private int confirmFrom;

    private record Kept(LaneRunner lane, long since) {}

    public CursorKeeper(WorkerContext context, Feeding feeding, CursorStore.Writer writer) {
        this.context = context;
        this.feeding = feeding;
        this.writer = writer;
        this.turn = context.clockwork().signal();
        this.progressAt = context.clockwork().nanos();
    }

    public void add(LaneRunner lane) {
        int index = lane.lane().partition().index();
        lanes.put(index, new Kept(lane, context.clockwork().nanos()));
        synchronized (this) {
            leftBehind.remove(index);
        }
    }

    /**
     * The partition leaves this life. Its last cursor stays in the stored value: as long as the claim names this life, which
     * may be for good when the release has no answer or the lease ends, the next owner starts from it.
     */
    public void remove(LaneRunner lane) {
        Lane left = lane.lane();
        if (left.wasFed()) {
            synchronized (this) {
                leftBehind.put(left.partition().index(), new CursorTable.Entry(left.token(), left.cursor()));
            }
        }
        lanes.computeIfPresent(left.partition().index(), (index, kept) -> kept.lane() == lane ? null : kept);
    }

    /** Returns the pause until the next. */
    public Duration step() {
        keepInProgress();
        clearDeaths();
        confirm();
        try {
            write(Duration.ZERO);
            context.problems().clear(PROBLEM);
        } catch (StoreUnavailableException | InvalidInputException e) {
            context.problems()
                    .report(
                            PROBLEM,
                            "The cursors of this worker cannot be written: after a crash messages that were handled"
                                    + " meanwhile are handled again. " + e.getMessage());
        }
        return INTERVAL;
    }

    private void keepInProgress() {
        long now = context.clockwork().nanos();
        if (now - progressAt >= context.settings().ackWait().dividedBy(3).toNanos()) {
            progressAt = now;
            lanes.values().forEach(kept -> kept.lane().lane().inProgress());
        }
    }

    private void clearDeaths() {
        long now = context.clockwork().nanos();
        for (Kept kept : lanes.values()) {
            if (now - kept.since() > LONG_ENOUGH_ALIVE.toNanos()) {
                kept.lane().lane().clearDeaths();
            }
        }
    }

    private void confirm() {
        List<Reader> readers = new ArrayList<>(feeding.readers());
        Collections.rotate(readers, -confirmFrom);
        for (Reader reader : readers) {
            boolean unconfirmed = !reader.isConfirmedAtOnce() && reader.noted() > reader.coverage();
            if (unconfirmed && reader.brokenBy() == null && !confirm(reader)) {
                // The next look begins behind the one that gave no answer.
                confirmFrom = readers.isEmpty() ? 0 : (confirmFrom + readers.indexOf(reader) + 1) % readers.size();
                return;
            }
        }
    }

    /** The coverage is noted first, then the server is asked: its answer counts for what came before. */
    private boolean confirm(Reader reader) {
        long noted = reader.noted();
        try {
            Optional<ConsumerState> now = context.stream().consumers().info(reader.name());
            if (now.isEmpty()) {
                reader.broken("the server has deleted it");
            } else if (reader.isStill(now.get())) {
                reader.confirm(noted);
                reader.lanes().forEach(LaneRunner::kick);
            } else {
                reader.broken("another server leads it, or another program has changed it");
            }
            return true;
        } catch (StreamUnavailableException e) {
            // Nothing is confirmed. The others are asked later, too: cursors must be written meanwhile.
            return false;
        }
    }

    /** @param rest how long the next write waits */
    private void write(Duration rest) {
        awaitTurn();
        try {
            Map<Integer, CursorTable.Entry> entries = new TreeMap<>();
            for (Kept kept : lanes.values()) {
                Lane lane = kept.lane().lane();
                // An entry also says that the partition has a consumer here, or needs none: others wait for that.
                if (lane.wasFed() || lane.isComplete()) {
                    entries.put(lane.partition().index(), new CursorTable.Entry(lane.token(), lane.cursor()));
                }
            }
            synchronized (this) {
                // Behind the lanes: one that leaves meanwhile is in either.
                leftBehind.forEach(entries::putIfAbsent);
            }
            CursorTable table = bounded(new CursorTable(entries));
            if (!table.equals(written)) {
                writer.write(table);
                written = table;
            }
            if (rest.isPositive()) {
                context.clockwork().signal().await(rest);
            }
        } finally {
            endTurn();
        }
    }

    private CursorTable bounded(CursorTable table) {
        CursorTable bounded = table.bounded();
        if (bounded == table) {
            context.problems().clear(TOO_MANY_FINISHED);
        } else {
            context.problems()
                    .report(
                            TOO_MANY_FINISHED,
                            "More messages are finished behind unfinished ones of their partitions than the cursors of a"
                                    + " worker can list: after a crash some of them are handled again. Look at the"
                                    + " messages that are retried, or start more workers.");
        }
        return bounded;
    }

    /** For a partition whose owners died: the attempt stands in the store before it begins. */
    @Override
    public void record(Lane lane) {
        write(RECORD_INTERVAL);
    }

    /** One write at a time, without a lock over the call of the store. */
    private void awaitTurn() {
        while (!takeTurn()) {
            turn.await(RECORD_INTERVAL);
        }
    }

    private synchronized boolean takeTurn() {
        boolean free = !writing;
        writing = true;
        return free;
    }

    private void endTurn() {
        synchronized (this) {
            writing = false;
        }
        turn.raise();
    }
}

package dev.sluice.stream;

import dev.sluice.log.EventRecord;
import dev.sluice.log.Located;
import dev.sluice.log.LogEntry;
import dev.sluice.log.LogPoint;
import dev.sluice.log.LogPosition;
import dev.sluice.log.LogRead;
import dev.sluice.log.LogReader;
import dev.sluice.log.LogState;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.Position;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One consumer's place in one backend's log. It offers the events the consumer wants, in order, raw or, while far behind
 * and if asked for, the last of each document. Its {@link #passed} id is always safe to resume from.
 */
final class BackendCursor {
    /** The bound on one read of the log: no iterator of it lives longer. */
    private static final int READ_EVENTS = 1_000;

    private static final long READ_BYTES = 1 << 20;

    /** What {@link #fill} came to. */
    enum Fill {
        READY,
        WORKING,
        IDLE,
        EVICTED,
        AHEAD_TOO_LONG
    }

    private enum Mode {
        /** The log has no beginning yet; its first event is the first for this consumer. */
        AWAITING_START,
        /** The consumer comes from a Puller that is further than this one. */
        AHEAD,
        READING,
        SCANNING_WINDOW,
        SENDING_WINDOW,
        EVICTED
    }

    private final String backend;
    private final LogReader log;
    private final EventFilter filter;
    private final StreamLimits limits;
    private final WindowBudget budget;
    private final boolean coalesce;

    private Mode mode;
    private LogPosition position = LogPosition.START;
    private EventId passed;
    private @Nullable EventId oldest;
    private List<LogEntry> entries = List.of();
    private int next;
    private boolean hasRead;
    private @Nullable CatchUpWindow window;
    private int number;
    private final long aheadUntil;
    private final ReaderLag lag;

    BackendCursor(
            String backend,
            LogReader log,
            StreamRequest request,
            StreamLimits limits,
            WindowBudget budget,
            long nanos) {
        this.backend = backend;
        this.log = log;
        this.filter = request.filter();
        this.limits = limits;
        this.budget = budget;
        this.coalesce = request.coalesce() && !log.holdsMessages();
        this.aheadUntil = nanos + limits.maxAheadWait().toNanos();
        LogState state = log.state();
        this.lag = new ReaderLag(backend, log, limits.retention());
        EventId asked = request.after() == null
                ? null
                : request.after().position(backend).orElse(null);
        LogPoint unasked = request.after() == null ? state.head() : state.evictedThrough();
        this.passed = asked == null ? unasked.id() : asked;
        this.position = unasked.position();
        this.mode = state.started() ? Mode.READING : Mode.AWAITING_START;
        Position start = request.start() == null ? null : request.start().after();
        if (start != null) {
            begin(start);
        } else if (asked != null) {
            mode = Mode.AHEAD;
            locate();
        }
    }

    /** Begins at a position that this log has counted itself, or one that its head has not reached yet. */
    private void begin(Position start) {
        passed = start.id();
        position = LogPosition.of(start);
        mode = Mode.READING;
        if (start.time().equals(ClusterTime.ZERO)) {
            mode = Mode.AHEAD;
            locate();
        }
    }

    private void locate() {
        LogState before = log.state();
        switch (log.locate(passed)) {
            case Located.At at -> {
                position = at.position();
                mode = before.started() ? Mode.READING : Mode.AWAITING_START;
                if (before.started() && passed.time().equals(ClusterTime.ZERO)) {
                    passed = before.evictedThrough().id();
                }
            }
            case Located.TooOld tooOld -> fallOff(tooOld.oldest());
            case Located.Ahead ahead -> {}
        }
    }

    /** The consumer stays where it is: a marker beyond what it has lost would hide the gap when it comes back. */
    private Fill fallOff(EventId oldestKept) {
        mode = Mode.EVICTED;
        oldest = oldestKept;
        dropWindow();
        release();
        return Fill.EVICTED;
    }

    String backend() {
        return backend;
    }

    /** The last event the consumer need not see again. */
    EventId passed() {
        return passed;
    }

    /** Where the consumer can go on: where it is, or, when the log has overtaken it, the oldest it can have. */
    EventId resumable() {
        return oldest == null ? passed : oldest;
    }

    boolean evicted() {
        return mode == Mode.EVICTED;
    }

    /** Gets something to offer, with at most one read of the log. */
    Fill fill(long nanos) {
        return switch (mode) {
            case AWAITING_START -> awaitStart();
            case AHEAD -> awaitCapture(nanos);
            case READING -> read();
            case SCANNING_WINDOW -> scan();
            case SENDING_WINDOW -> readWindow();
            case EVICTED -> Fill.EVICTED;
        };
    }

    private Fill awaitStart() {
        if (!log.state().started()) {
            return Fill.IDLE;
        }
        locate();
        return mode == Mode.EVICTED ? Fill.EVICTED : Fill.WORKING;
    }

    private Fill awaitCapture(long nanos) {
        locate();
        return switch (mode) {
            case EVICTED -> Fill.EVICTED;
            case AHEAD -> nanos - aheadUntil >= 0 ? Fill.AHEAD_TOO_LONG : Fill.IDLE;
            default -> Fill.WORKING;
        };
    }

    private Fill read() {
        if (coalesce && log.eventsBehind(position) > limits.catchUpThreshold()) {
            window = CatchUpWindow.open(
                    new LogPoint(position, passed), log.state().head().position(), budget);
        }
        if (window != null) {
            mode = Mode.SCANNING_WINDOW;
            return scan();
        }
        return load(position, READ_EVENTS) ? settle() : Fill.EVICTED;
    }

    private boolean load(LogPosition after, int maxEvents) {
        next = 0;
        return switch (log.read(after, maxEvents, READ_BYTES)) {
            case LogRead.Entries read -> {
                entries = read.entries();
                yield true;
            }
            case LogRead.Evicted gone -> {
                fallOff(gone.oldest());
                yield false;
            }
        };
    }

    private Fill settle() {
        boolean found = !entries.isEmpty();
        return ready() ? Fill.READY : found ? Fill.WORKING : Fill.IDLE;
    }

    private CatchUpWindow window() {
        return Objects.requireNonNull(window);
    }

    private Fill scan() {
        CatchUpWindow scanned = window();
        if (!load(scanned.end().position(), READ_EVENTS)) {
            return Fill.EVICTED;
        }
        boolean taken = !entries.isEmpty();
        for (int k = 0; taken && k < entries.size(); k++) {
            LogEntry entry = entries.get(k);
            taken = scanned.add(entry.position(), entry.event(), filter.passes(entry.event()));
        }
        release();
        if (!taken || scanned.complete()) {
            scanned.finish();
            mode = Mode.SENDING_WINDOW;
            number = 0;
        }
        return Fill.WORKING;
    }

    private Fill readWindow() {
        int wanted = window().nextLive(number);
        if (wanted < 0) {
            closeWindow();
            return Fill.WORKING;
        }
        if (wanted - number > CatchUpWindow.STRIDE || number % CatchUpWindow.STRIDE == 0) {
            number = CatchUpWindow.strideStart(wanted);
            position = window().strideBefore(wanted);
        }
        if (!load(position, Math.min(READ_EVENTS, window().size() - number))) {
            return Fill.EVICTED;
        }
        return ready() ? Fill.READY : Fill.WORKING;
    }

    private void closeWindow() {
        LogPoint end = window().end();
        position = end.position();
        passed = end.id();
        dropWindow();
        mode = Mode.READING;
        release();
    }

    private void dropWindow() {
        if (window != null) {
            window.close();
            window = null;
        }
    }

    /** Whether there is something to offer without reading; passes over what the consumer does not want. */
    boolean ready() {
        while (next < entries.size() && !wanted(entries.get(next).event())) {
            skip(entries.get(next));
        }
        return next < entries.size();
    }

    private boolean wanted(EventRecord event) {
        return mode == Mode.SENDING_WINDOW ? window().isLive(number) : filter.passes(event);
    }

    private void skip(LogEntry entry) {
        next++;
        hasRead = true;
        position = entry.position();
        if (mode == Mode.SENDING_WINDOW) {
            number++;
        } else {
            passed = entry.event().id();
        }
    }

    /** When {@link #ready}: the time of what is offered. */
    long offeredTime() {
        return entries.get(next).event().clusterTime().value();
    }

    /** When {@link #ready}: hands the offered event to the sink. */
    void send(int index, MarkerText marker, EventSink sink) {
        LogEntry entry = entries.get(next);
        boolean coalesced = mode == Mode.SENDING_WINDOW;
        // Whoever is not told of every change cannot use what the document was just before this one.
        EventRecord event = coalesced ? entry.event().withoutBefore() : entry.event();
        boolean lastState = coalesced && event.operation() == Operation.UPDATE && event.document() != null;
        skip(entry);
        if (mode == Mode.SENDING_WINDOW && window().nextLive(number) < 0) {
            closeWindow();
            marker.move(index, passed);
        } else if (mode == Mode.READING) {
            marker.move(index, event);
        }
        sink.event(backend, event, entry.position().ordinal(), lastState, filter.partitionOf(event), marker);
    }

    /** Lets go of what was read but not sent; it is read again when needed. */
    void release() {
        entries = List.of();
        next = 0;
    }

    /**
     * Nothing is wanted for long: also lets go of a window that is not complete. One of which something was sent stays,
     * without its index; to begin it again would send that again, however slowly the consumer goes on.
     */
    void pause() {
        release();
        if (mode == Mode.SCANNING_WINDOW) {
            dropWindow();
            mode = Mode.READING;
        }
    }

    /** Gives back what it holds. */
    void close() {
        release();
        dropWindow();
    }

    /** How far this cursor has come, and the head of its log. */
    LogProgress progress() {
        LogState state = log.state();
        Position reached = reached();
        Position head = state.head().toPosition();
        // Reading from disk may be a moment ahead of the log's state; a cursor that began ahead of the head has read
        // nothing.
        return new LogProgress(state.identity(), reached, hasRead ? Position.higher(head, reached) : head);
    }

    private Position reached() {
        if (mode == Mode.AHEAD) {
            return Position.before(passed.time());
        }
        boolean same = position.time().equals(passed.time());
        return new Position(same ? passed : new EventId(position.time(), 0), position.ordinal());
    }

    /**
     * Everything up to this time has been offered, though not always everything of the next tick: more events of the time
     * we have come to may follow, in the log or still at the source (a transaction has one time for all of its events),
     * and a checkpoint's token may stand before the events of its own time.
     */
    ClusterTime passedThrough() {
        LogState state = log.state();
        boolean atHead = mode == Mode.READING && position.compareTo(state.head().position()) >= 0;
        ClusterTime reached = atHead ? state.capturedThrough() : passed.time();
        return reached.equals(ClusterTime.ZERO) ? reached : new ClusterTime(reached.value() - 1);
    }

    boolean behind() {
        return mode != Mode.READING
                ? window != null
                : position.compareTo(log.state().head().position()) < 0;
    }

    BackendPosition standing(long nanos) {
        long events = mode == Mode.READING || window != null ? log.eventsBehind(position) : 0;
        return lag.of(passed, events, nanos);
    }

    boolean coalescing() {
        return window != null;
    }
}

package dev.sluice.server.streamer;

import dev.sluice.feed.EventFeed;
import dev.sluice.feed.FeedEvent;
import dev.sluice.feed.FeedOutOfRangeException;
import dev.sluice.feed.FeedUnavailableException;
import dev.sluice.feed.StreamId;
import dev.sluice.log.EventLogException;
import dev.sluice.log.EventRecord;
import dev.sluice.log.Located;
import dev.sluice.log.LogEntry;
import dev.sluice.log.LogPosition;
import dev.sluice.log.LogRead;
import dev.sluice.log.LogReader;
import dev.sluice.log.LogState;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.Position;
import dev.sluice.stream.BackendPosition;
import dev.sluice.stream.ConsumerStatus;
import dev.sluice.stream.EventFilter;
import dev.sluice.stream.ReaderLag;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One stream's place in a log of this process. Between two reads it holds a position and nothing else. A reader that was
 * opened ahead of the log's head stays there, its {@code passed} too, until the head has come that far.
 */
final class LocalLogReader implements EventFeed.Reader {
    /** One read of the log takes at most so much: its iterator lives no longer. */
    private static final int SCAN_EVENTS = 1_000;

    private static final long SCAN_BYTES = 1 << 20;

    /** Reads of the log in one call that find events of other partitions only. */
    private static final int SCANS = 10;

    private final LocalLogFeed feed;
    private final String label;
    private final StreamId stream;
    private final long identity;
    private final Runnable more;
    private final EventFilter filter;
    private final long call;
    private final Instant since = Instant.now();
    private final AtomicLong events = new AtomicLong();

    private @Nullable LogReader log;
    private Runnable listening = () -> {};
    private volatile Position passed;
    /** The reader's own place was an event of the log: the log's head cannot lie before it. */
    private boolean hasRead;

    private boolean closed;

    LocalLogReader(LocalLogFeed feed, String label, StreamId stream, long identity, Position after, Runnable more) {
        this.feed = feed;
        this.label = label;
        this.stream = stream;
        this.identity = identity;
        this.passed = after;
        this.more = more;
        this.filter = EventFilter.of(List.of(stream.partition()), stream.partitions(), List.of(), List.of());
        this.call = feed.consumers().nextCall();
        // It listens from its first read on.
        more.run();
    }

    @Override
    public EventFeed.Batch read(int maxEvents, long maxBytes) {
        if (closed) {
            throw new FeedUnavailableException("this reader is closed: open another");
        }
        try {
            LogReader reading = log == null ? begin() : log;
            return next(reading, Math.min(maxEvents, SCAN_EVENTS), Math.min(maxBytes, SCAN_BYTES));
        } catch (EventLogException broken) {
            close();
            throw new FeedUnavailableException(
                    "the event log '" + stream.log() + "' cannot be read: " + broken.getMessage(), broken);
        } catch (Throwable broken) {
            // The position may be ahead of what the caller was given.
            close();
            throw broken;
        }
    }

    /** Listens before it reads: a commit in between wakes the caller once too often, never once too seldom. */
    private LogReader begin() {
        LogReader found = feed.log(stream.log(), identity);
        listening = found.onCommit(more);
        log = found;
        ReaderLag lag = new ReaderLag(stream.log(), found, feed.retention());
        feed.consumers().enter(call, () -> status(found, lag));
        return found;
    }

    private EventFeed.Batch next(LogReader reading, int maxEvents, long maxBytes) {
        List<FeedEvent> found = List.of();
        boolean end = !atPlace(reading);
        for (int scan = 0; scan < SCANS && !end && found.isEmpty(); scan++) {
            List<LogEntry> entries = entries(reading, maxEvents, maxBytes);
            end = entries.isEmpty();
            found = end ? found : take(entries);
        }
        if (found.isEmpty() && !end) {
            more.run();
        }
        events.addAndGet(found.size());
        return batch(reading.state(), found);
    }

    /** Finds the beginning of a log that was not started when this place was told; false while it is not. */
    private boolean atPlace(LogReader reading) {
        if (!passed.time().equals(ClusterTime.ZERO)) {
            return true;
        }
        // Asked first: a log that starts meanwhile is found at the next read.
        boolean started = reading.state().started();
        if (reading.locate(passed.id()) instanceof Located.TooOld) {
            throw outOfRange(reading);
        }
        if (started) {
            passed = reading.resolve(passed.id());
        }
        return started;
    }

    private List<LogEntry> entries(LogReader reading, int maxEvents, long maxBytes) {
        return switch (reading.read(LogPosition.of(passed), maxEvents, maxBytes)) {
            case LogRead.Entries read -> read.entries();
            case LogRead.Evicted gone -> throw outOfRange(reading);
        };
    }

    private FeedOutOfRangeException outOfRange(LogReader reading) {
        return new FeedOutOfRangeException(
                "The events of log '" + stream.log() + "' behind " + passed + " are no longer kept: read the source's"
                        + " current state again",
                reading.state().evictedThrough().toPosition());
    }

    private List<FeedEvent> take(List<LogEntry> entries) {
        List<FeedEvent> wanted = new ArrayList<>(entries.size());
        for (LogEntry entry : entries) {
            EventRecord event = entry.event();
            if (filter.passes(event)) {
                ChangeEvent change = event.toChangeEvent(stream.log());
                wanted.add(new FeedEvent(
                        change, new Position(change.id(), entry.position().ordinal()), event.before()));
            }
        }
        passed = entries.getLast().point().toPosition();
        hasRead = true;
        return wanted;
    }

    /** Reading from disk may be a moment ahead of the log's state. */
    private EventFeed.Batch batch(LogState state, List<FeedEvent> found) {
        Position head = state.head().toPosition();
        return new EventFeed.Batch(found, passed, hasRead ? Position.higher(head, passed) : head, sourceTime(state));
    }

    /**
     * One tick less than what was reached: more events of that time may follow, in the log or still at the source, since all
     * events of a transaction have one time.
     */
    private long sourceTime(LogState state) {
        boolean atHead = LogPosition.of(passed).compareTo(state.head().position()) >= 0;
        ClusterTime reached = atHead ? state.capturedThrough() : passed.time();
        return reached.equals(ClusterTime.ZERO) ? 0 : new ClusterTime(reached.value() - 1).toEpochMillis();
    }

    /** For any thread: computed when somebody looks, so that a reader that stands still shows its lag too. */
    private ConsumerStatus status(LogReader reading, ReaderLag lag) {
        synchronized (lag) {
            Position at = passed;
            long behind = at.time().equals(ClusterTime.ZERO) ? 0 : reading.eventsBehind(LogPosition.of(at));
            BackendPosition position = lag.of(at.id(), behind, System.nanoTime());
            ConsumerStatus.State state = behind == 0 ? ConsumerStatus.State.LIVE : ConsumerStatus.State.CATCHING_UP;
            return new ConsumerStatus(call, label, "this process", since, state, events.get(), List.of(position));
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            feed.consumers().leave(call);
            listening.run();
        }
    }
}

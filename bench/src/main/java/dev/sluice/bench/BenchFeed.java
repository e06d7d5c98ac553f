package dev.sluice.bench;

import dev.sluice.feed.EventFeed;
import dev.sluice.feed.FeedEvent;
import dev.sluice.feed.LogHead;
import dev.sluice.feed.StreamId;
import dev.sluice.log.LogEntry;
import dev.sluice.log.LogPosition;
import dev.sluice.log.LogRead;
import dev.sluice.log.LogReader;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.EventId;
import dev.sluice.model.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** An event log on disk as the feed of a Streamer with one partition. Counts the events that were read. */
final class BenchFeed implements EventFeed {
    static final String LOG = "bench";

    private final LogReader log;
    private final AtomicLong read = new AtomicLong();

    BenchFeed(LogReader log) {
        this.log = log;
    }

    /** Events that all readers together have read. */
    long read() {
        return read.get();
    }

    @Override
    public Map<String, LogHead> heads() {
        return Map.of(
                LOG,
                new LogHead(
                        log.state().identity(),
                        log.state().head().toPosition(),
                        log.state().evictedThrough().toPosition()));
    }

    @Override
    public List<Position> resolve(String name, long identity, List<EventId> ids) {
        return ids.stream().map(log::resolve).toList();
    }

    @Override
    public Reader open(String label, StreamId stream, long identity, Position after, Runnable more) {
        more.run();
        return new LogPlace(after, log.onCommit(more));
    }

    private final class LogPlace implements Reader {
        private final Runnable listening;
        private Position passed;

        LogPlace(Position after, Runnable listening) {
            this.passed = after;
            this.listening = listening;
        }

        @Override
        public Batch read(int maxEvents, long maxBytes) {
            List<FeedEvent> events = new ArrayList<>();
            switch (log.read(LogPosition.of(passed), maxEvents, maxBytes)) {
                case LogRead.Entries found -> {
                    for (LogEntry entry : found.entries()) {
                        ChangeEvent change = entry.event().toChangeEvent(LOG);
                        passed = new Position(change.id(), entry.position().ordinal());
                        events.add(new FeedEvent(change, passed, entry.event().before()));
                    }
                }
                case LogRead.Evicted gone -> throw new IllegalStateException("this log keeps everything");
            }
            read.addAndGet(events.size());
            Position head = Position.higher(log.state().head().toPosition(), passed);
            return new Batch(events, passed, head, System.currentTimeMillis());
        }

        @Override
        public void close() {
            listening.run();
        }
    }
}

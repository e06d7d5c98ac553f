package dev.sluice.log;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/** An event log that lives as long as this object: for tests and demonstrations. */
public final class InMemoryEventLog implements EventLog {
    private final NavigableMap<LogPosition, EventRecord> events = new ConcurrentSkipListMap<>();
    private final LogBook book;
    private boolean closed;

    public InMemoryEventLog() {
        this(SegmentLimits.DEFAULT);
    }

    public InMemoryEventLog(SegmentLimits limits) {
        book = new LogBook(limits, this::idsAt);
    }

    @Override
    public synchronized Appended append(List<EventRecord> records, @Nullable Checkpoint checkpoint) {
        requireOpen();
        AppendDecision decision = book.decideAppend(records, checkpoint);
        decision.appended().entries().forEach(entry -> events.put(entry.position(), entry.event()));
        book.apply(decision);
        return decision.appended();
    }

    @Override
    public synchronized LogRead read(LogPosition after, int maxEvents, long maxBytes) {
        requireOpen();
        LogPoint oldest = book.state().evictedThrough();
        if (after.compareTo(oldest.position()) < 0) {
            return new LogRead.Evicted(oldest.id());
        }
        List<LogEntry> found = new ArrayList<>();
        long bytes = 0;
        for (Map.Entry<LogPosition, EventRecord> next :
                events.tailMap(after, false).entrySet()) {
            LogEntry entry = new LogEntry(next.getKey(), next.getValue());
            bytes += entry.bytes();
            if (found.size() == maxEvents || (bytes > maxBytes && !found.isEmpty())) {
                break;
            }
            found.add(entry);
        }
        return new LogRead.Entries(
                found, found.isEmpty() ? after : found.getLast().position());
    }

    @Override
    public synchronized Located locate(EventId id) {
        requireOpen();
        return book.locate(id, this::find);
    }

    private @Nullable LogPosition find(EventId id) {
        return at(id.time()).entrySet().stream()
                .filter(entry -> entry.getValue().hash() == id.hash())
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    private IdsOfOneTime idsAt(ClusterTime time) {
        IdsOfOneTime ids = new IdsOfOneTime();
        at(time).values().forEach(event -> ids.add(event.hash()));
        return ids;
    }

    private NavigableMap<LogPosition, EventRecord> at(ClusterTime time) {
        return events.subMap(LogPosition.before(time), false, new LogPosition(time, Integer.MAX_VALUE), true);
    }

    @Override
    public LogState state() {
        return book.state();
    }

    @Override
    public List<Segment> segments() {
        return book.segments();
    }

    @Override
    public synchronized Eviction evict(ClusterTime through) {
        requireOpen();
        return book.decideEvict(through, this::lastOf).map(this::evict).orElse(Eviction.NOTHING);
    }

    private Eviction evict(EvictDecision decision) {
        events.headMap(decision.reached().position(), true).clear();
        return book.apply(decision);
    }

    private LogPoint lastOf(ClusterTime time) {
        Map.Entry<LogPosition, EventRecord> last = at(time).lastEntry();
        return new LogPoint(last.getKey(), last.getValue().id());
    }

    private void requireOpen() {
        if (closed) {
            throw new LogUnavailableException("This event log is closed.", null);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}

package dev.sluice.testkit.contract;

import dev.sluice.log.EventLog;
import dev.sluice.log.EventRecord;
import dev.sluice.log.EventRecordEncoder;
import dev.sluice.log.InMemoryEventLog;
import dev.sluice.log.LiveTail;
import dev.sluice.log.LogReader;
import dev.sluice.log.SegmentLimits;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.bson.BsonDocument;

/** One backend's log, for feeds to read; most of it is behind the tail. */
public final class FeedLog {
    /** A new segment at every cluster time, so that anything can be evicted. */
    public static final SegmentLimits EVERY_TIME = new SegmentLimits(1, 1);

    static final RawBson BEFORE = RawBson.of(BsonDocument.parse("{_id: 'doc', n: 1}"));
    static final RawBson AFTER = RawBson.of(BsonDocument.parse("{_id: 'doc', n: 2}"));
    static final RawBson CHANGED = RawBson.of(BsonDocument.parse("{updatedFields: {n: 2}}"));

    private final String backend;
    private final EventLog log;
    private final LiveTail tail;
    private final FailingReads failing;
    private final LogReader reader;
    private long hash = 1;

    /** In memory, and begun at the first second. */
    public FeedLog(String backend) {
        this(backend, new InMemoryEventLog(EVERY_TIME));
        checkpoint(1);
    }

    /** @param log to which nothing was appended yet, with segments of {@link #EVERY_TIME} */
    public FeedLog(String backend, EventLog log) {
        this.backend = backend;
        this.log = log;
        this.tail = new LiveTail(log.state().head().position(), 4, 1 << 20);
        this.failing = new FailingReads(log);
        this.reader = new LogReader(failing, tail);
    }

    public LogReader reader() {
        return reader;
    }

    /** After so many further reads from behind the tail, one fails with an Error. */
    public void failAfterReads(int reads) {
        failing.failAfter(reads);
    }

    /** The source has nothing more up to this second. */
    public void checkpoint(long second) {
        tail.publish(log.append(List.of(), SampleEvents.checkpoint(second, 0)));
    }

    /** Returns backend and id. */
    public String insert(long second, String document) {
        return insert(second, new DocumentId(DocumentId.Kind.STRING, document));
    }

    /** Returns backend and id. */
    public String insert(long second, DocumentId document) {
        return append(event(second, Operation.INSERT, "")
                .documentId(document)
                .document(AFTER)
                .encode());
    }

    /**
     * Inserts in one append, from second 10 on; returns backend and id of each.
     *
     * @param perTime how many have one cluster time
     */
    public List<String> insertAll(int events, int perTime, IntFunction<String> document) {
        List<EventRecord> records = IntStream.range(0, events)
                .mapToObj(k -> event(10 + k / perTime, Operation.INSERT, document.apply(k))
                        .document(AFTER)
                        .encode())
                .toList();
        tail.publish(log.append(records, null));
        return records.stream().map(event -> backend + " " + event.id()).toList();
    }

    public String drop(long second) {
        return append(new EventRecordEncoder()
                .id(ClusterTime.of(second, 1), hash++)
                .operation(Operation.DROP)
                .collection("orders")
                .encode());
    }

    /** With everything an event can have. */
    public String update(long second, String document) {
        return append(event(second, Operation.UPDATE, document)
                .tenant("acme")
                .document(AFTER)
                .updateDescription(CHANGED)
                .before(BEFORE)
                .txnNumber(7)
                .lookup(true)
                .encode());
    }

    private EventRecordEncoder event(long second, Operation operation, String document) {
        return new EventRecordEncoder()
                .id(ClusterTime.of(second, 1), hash++)
                .operation(operation)
                .collection("orders")
                .documentId(new DocumentId(DocumentId.Kind.STRING, document))
                .timestamp(second * 1000);
    }

    /** Returns backend and id. */
    public String append(EventRecord event) {
        tail.publish(log.append(List.of(event), null));
        return backend + " " + event.id();
    }

    /** Returns where the oldest position is then. */
    public EventId evictThrough(long second) {
        log.evict(ClusterTime.of(second, 1));
        return log.state().evictedThrough().id();
    }

    /** How many events it still has. */
    public int kept() {
        return (int) log.state().events();
    }
}

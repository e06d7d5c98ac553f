package dev.sluice.stream;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.EventRecord;
import dev.sluice.log.InMemoryEventLog;
import dev.sluice.log.LiveTail;
import dev.sluice.log.LogReader;
import dev.sluice.log.SegmentLimits;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/** A log in memory with its tail, and events to put into it. */
final class TestLog {
    /** So few that most reads of a test come from the log, and some from the tail. */
    static final int TAIL = 4;

    final InMemoryEventLog log = new InMemoryEventLog(new SegmentLimits(1, 1));
    final LiveTail tail = new LiveTail(log.state().head().position(), TAIL, 1 << 20);
    final LogReader reader = new LogReader(log, tail);
    private long hash = 1;

    TestLog() {
        checkpoint(1);
    }

    private TestLog(long hash) {
        this.hash = hash;
    }

    /** To which nothing was ever appended. */
    static TestLog unstarted() {
        return new TestLog(1000);
    }

    void checkpoint(long t) {
        RawBson token = RawBson.of(new BsonDocument("_data", new BsonString("t" + t)));
        tail.publish(log.append(List.of(), new Checkpoint(token, ClusterTime.of(t, 0))));
    }

    EventRecord append(ChangeEvent event) {
        EventRecord record = EventRecord.of(event);
        append(List.of(record));
        return record;
    }

    void append(List<EventRecord> records) {
        tail.publish(log.append(records, null));
    }

    ChangeEvent insert(long t, String collection, String id, long value) {
        return event(t, Operation.INSERT, "", collection, id, value, null);
    }

    ChangeEvent event(
            long t,
            Operation operation,
            String tenant,
            String collection,
            String id,
            @Nullable Long value,
            @Nullable Long delta) {
        return new ChangeEvent(
                new EventId(ClusterTime.of(t, 1), hash++),
                "b",
                operation,
                tenant,
                collection,
                id.isEmpty() ? DocumentId.NONE : new DocumentId(DocumentId.Kind.STRING, id),
                value == null ? null : RawBson.of(new BsonDocument("v", new BsonInt64(value))),
                delta == null ? null : RawBson.of(new BsonDocument("d", new BsonInt64(delta))),
                t * 1000,
                OptionalLong.empty(),
                false);
    }

    /** What a consumer got. */
    record Got(String backend, EventRecord event, boolean lastState, int partition, String marker) {
        String id() {
            return event.id().toString();
        }
    }

    /** Keeps what it gets. */
    static final class Collected implements EventSink {
        final List<Got> events = new ArrayList<>();
        final List<String> heartbeats = new ArrayList<>();

        @Override
        public void event(
                String backend, EventRecord event, int ordinal, boolean lastState, int partition, MarkerText marker) {
            events.add(new Got(backend, event, lastState, partition, marker.toString()));
        }

        @Override
        public void heartbeat(String backend, ClusterTime time, MarkerText marker) {
            heartbeats.add(backend + "@" + time + " " + marker);
        }

        @Override
        public long bytes() {
            return 0;
        }

        List<String> ids() {
            return events.stream().map(Got::id).toList();
        }
    }

    /** Steps until nothing moves. */
    static Collected drain(EventStream stream, int batch) {
        Collected collected = new Collected();
        while (true) {
            Step step = stream.step(collected, batch, Long.MAX_VALUE, 0);
            if (!(step instanceof Step.Sent) && !(step instanceof Step.Working)) {
                return collected;
            }
        }
    }
}

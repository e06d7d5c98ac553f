package dev.sluice.grpc;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.EventRecord;
import dev.sluice.log.EventRecordEncoder;
import dev.sluice.log.InMemoryEventLog;
import dev.sluice.log.LiveTail;
import dev.sluice.log.LogReader;
import dev.sluice.log.SegmentLimits;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** One backend's log in memory, with a short tail, so that replay comes from the log and what follows from memory. */
public final class TestBackend {
    public final InMemoryEventLog log = new InMemoryEventLog(new SegmentLimits(1, 1));
    public final LiveTail tail = new LiveTail(log.state().head().position(), 100, 1 << 20);
    public final LogReader reader = new LogReader(log, tail);
    private final EventRecordEncoder encoder = new EventRecordEncoder();
    private long t = 1000;
    private long hash;
    private int padding;

    public TestBackend(long seed) {
        hash = seed << 32;
        checkpoint();
    }

    /** Documents get this many bytes more. */
    public TestBackend padded(int bytes) {
        padding = bytes;
        return this;
    }

    public void checkpoint() {
        checkpoint(0);
    }

    /** The source is at this second, and so many ticks. */
    public void checkpoint(int ticks) {
        RawBson token = RawBson.of(new BsonDocument("_data", new BsonString("t" + t + "-" + ticks)));
        tail.publish(log.append(List.of(), new Checkpoint(token, ClusterTime.of(t, ticks))));
    }

    public void skipTo(long seconds) {
        t = seconds;
    }

    public long time() {
        return t;
    }

    /** Inserts into collection {@code c} until the log has grown by so many; returns their ids. */
    public List<String> inserts(int count) {
        List<String> ids = new ArrayList<>();
        List<EventRecord> records = new ArrayList<>();
        for (int k = 0; k < count; k++) {
            EventRecord record = event(Operation.INSERT, "", "c", "d" + (hash & 0xFFFF));
            ids.add(record.id().toString());
            records.add(record);
            if (records.size() == 50) {
                publish(records);
                records = new ArrayList<>();
            }
        }
        publish(records);
        return ids;
    }

    /** Inserts of documents that all differ. */
    public void distinctInserts(int count) {
        List<EventRecord> records = new ArrayList<>();
        for (int k = 0; k < count; k++) {
            records.add(event(Operation.INSERT, "", "c", "document-" + k));
        }
        publish(records);
    }

    public String append(Operation operation, String tenant, String collection, String document) {
        EventRecord record = event(operation, tenant, collection, document);
        publish(List.of(record));
        return record.id().toString();
    }

    public EventRecord event(Operation operation, String tenant, String collection, String document) {
        encoder.id(ClusterTime.of(++t, 1), ++hash)
                .operation(operation)
                .tenant(tenant)
                .collection(collection)
                .timestamp(t * 1000);
        if (!document.isEmpty()) {
            encoder.documentId(new DocumentId(DocumentId.Kind.STRING, document));
        }
        if (operation.isData() && operation != Operation.DELETE) {
            encoder.document(RawBson.of(new BsonDocument("_id", new BsonString(document))
                    .append("n", new BsonInt64(hash))
                    .append("pad", new BsonBinary(new byte[padding]))));
        }
        if (operation == Operation.UPDATE) {
            encoder.updateDescription(
                    RawBson.of(new BsonDocument("updatedFields", new BsonDocument("n", new BsonInt64(hash)))));
        }
        if (operation == Operation.UPDATE || operation == Operation.DELETE) {
            encoder.before(
                    RawBson.of(new BsonDocument("_id", new BsonString(document)).append("n", new BsonInt64(-hash))));
        }
        return encoder.encode();
    }

    public void publish(List<EventRecord> records) {
        tail.publish(log.append(records, null));
    }
}

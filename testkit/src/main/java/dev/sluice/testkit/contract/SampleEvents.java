package dev.sluice.testkit.contract;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.EventRecord;
import dev.sluice.log.EventRecordEncoder;
import dev.sluice.log.LogEntry;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/** Events and checkpoints for tests of the log: small, and told apart by one number. */
public final class SampleEvents {
    private SampleEvents() {}

    /** An insert of document {@code n}, committed at {@code t,i}; {@code n} is the hash in its id. */
    public static EventRecord event(long t, long i, int n) {
        return event(t, i, n, 0);
    }

    /** The same with a document of about this size. */
    public static EventRecord event(long t, long i, int n, int bytes) {
        BsonDocument document = new BsonDocument("_id", new BsonInt32(n));
        if (bytes > 0) {
            document.append("filling", new BsonBinary(new byte[bytes]));
        }
        return new EventRecordEncoder()
                .id(ClusterTime.of(t, i), n)
                .operation(Operation.INSERT)
                .collection("orders")
                .documentId(DocumentId.of(new BsonInt32(n)))
                .document(RawBson.of(document))
                .timestamp(t * 1000)
                .encode();
    }

    /** Events {@code from} to {@code to}, exclusive: number n is committed at second n, increment 1. */
    public static List<EventRecord> oneASecond(int from, int to) {
        return IntStream.range(from, to).mapToObj(n -> event(n, 1, n)).toList();
    }

    /** A checkpoint whose token says the same. */
    public static Checkpoint checkpoint(long t, long i) {
        ClusterTime time = ClusterTime.of(t, i);
        return new Checkpoint(RawBson.of(new BsonDocument("_data", time.toBson())), time);
    }

    /** The numbers of these events. */
    public static List<Long> numbers(List<LogEntry> entries) {
        return entries.stream().map(entry -> entry.event().hash()).toList();
    }
}

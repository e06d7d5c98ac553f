package dev.sluice.bench;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.EventRecord;
import dev.sluice.log.EventRecordEncoder;
import dev.sluice.log.LiveTail;
import dev.sluice.log.LogReader;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import dev.sluice.rocksdb.RocksEventLog;
import dev.sluice.rocksdb.RocksSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** A log on disk, full of events that nobody has read, for as long as the process lives. */
final class Backlog {
    private static final int BATCH = 1_000;
    private static final long FIRST_SECOND = 1_700_000_000;
    private static final int FILLING_FRAME = 14;

    private final RocksEventLog log;
    private final LogReader reader;
    private final int events;

    /** @param documentOf which document the nth event changes */
    Backlog(int events, int documentBytes, IntUnaryOperator documentOf) throws IOException {
        ScratchDirectory directory = new ScratchDirectory();
        this.events = events;
        this.log = new RocksEventLog(directory.path(), "bench", RocksSettings.DEFAULT);
        LiveTail tail = new LiveTail(log.state().head().position(), 1_000, 4 << 20);
        this.reader = new LogReader(log, tail);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
        fill(tail, documentBytes, documentOf);
    }

    private void delete(ScratchDirectory directory) {
        log.close();
        try {
            directory.close();
        } catch (IOException left) {
            System.err.println("Left behind, remove by hand: " + directory.path() + " (" + left.getMessage() + ")");
        }
    }

    private void fill(LiveTail tail, int documentBytes, IntUnaryOperator documentOf) {
        RawBson token = RawBson.of(new BsonDocument("_data", new BsonBinary(new byte[80])));
        tail.publish(log.append(List.of(), new Checkpoint(token, ClusterTime.of(FIRST_SECOND - 1, 1))));
        EventRecordEncoder encoder = new EventRecordEncoder();
        List<EventRecord> batch = new ArrayList<>();
        for (int n = 0; n < events; n++) {
            batch.add(event(encoder, n, documentOf.applyAsInt(n), documentBytes));
            if (batch.size() == BATCH || n == events - 1) {
                tail.publish(log.append(batch, null));
                batch = new ArrayList<>();
            }
        }
    }

    private static EventRecord event(EventRecordEncoder encoder, int n, int document, int documentBytes) {
        BsonDocument content = new BsonDocument("_id", new BsonInt32(document))
                .append("status", new BsonString("open"))
                .append("customer", new BsonString("c-" + document % 1000))
                .append("amount", new BsonDouble(n / 100.0))
                .append("changed", new BsonDateTime(FIRST_SECOND * 1000 + n))
                .append("lines", new BsonArray(List.of(new BsonInt32(n), new BsonInt32(7))));
        int left = documentBytes - RawBson.of(content).length() - FILLING_FRAME;
        content.append("filling", new BsonBinary(new byte[Math.max(0, left)]));
        return encoder.id(ClusterTime.of(FIRST_SECOND + n / 1000, 1 + n % 1000), (n + 1) * 0x9E3779B97F4A7C15L)
                .operation(Operation.REPLACE)
                .tenant("acme")
                .collection("orders")
                .documentId(DocumentId.of(new BsonInt32(document)))
                .document(RawBson.of(content))
                .timestamp(FIRST_SECOND * 1000 + n)
                .encode();
    }

    LogReader reader() {
        return reader;
    }

    int events() {
        return events;
    }
}

package dev.sluice.devmongo.command;

import dev.sluice.devmongo.wire.BsonBytes;
import java.util.Iterator;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** Turns documents into the first and the following batches of a cursor. */
final class Results {
    static final int FIRST_BATCH = 101;
    private static final int BATCH_BYTES = 16 << 20;

    private Results() {}

    /** The first batch; the rest stays behind a cursor unless it is all there is. */
    static Outcome first(Invocation call, String namespace, List<BsonDocument> documents, int batchSize) {
        Iterator<BsonDocument> rest = documents.iterator();
        BsonArray batch = take(rest, batchSize);
        long id = rest.hasNext()
                ? call.node()
                        .cursors()
                        .add(namespace, call.sessionId(), new OpenCursor.Source.Results(rest))
                        .id()
                : 0;
        return reply("firstBatch", batch, id, namespace);
    }

    static Outcome next(Invocation call, OpenCursor cursor, Iterator<BsonDocument> rest) {
        BsonArray batch = take(rest, call.number("batchSize", Integer.MAX_VALUE));
        if (!rest.hasNext()) {
            call.node().cursors().remove(cursor.id());
        }
        return reply("nextBatch", batch, rest.hasNext() ? cursor.id() : 0, cursor.namespace());
    }

    private static BsonArray take(Iterator<BsonDocument> documents, int limit) {
        BsonArray batch = new BsonArray();
        int bytes = 0;
        while (documents.hasNext() && batch.size() < limit && bytes < BATCH_BYTES / 2) {
            BsonDocument document = documents.next();
            bytes += BsonBytes.size(document);
            batch.add(document);
        }
        return batch;
    }

    private static Outcome reply(String name, BsonArray batch, long id, String namespace) {
        return Outcome.of(new BsonDocument(
                "cursor",
                new BsonDocument(name, batch).append("id", new BsonInt64(id)).append("ns", new BsonString(namespace))));
    }
}

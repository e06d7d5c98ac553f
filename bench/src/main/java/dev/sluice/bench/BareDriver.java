package dev.sluice.bench;

import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.model.changestream.FullDocument;
import org.bson.BsonTimestamp;
import org.bson.RawBsonDocument;

/** The official driver's own cursor with raw documents, stored nowhere. */
record BareDriver(LoadedMongo mongo, int batch, int events) implements Contender {
    @Override
    public String name() {
        return "bare driver, nothing stored";
    }

    @Override
    public boolean isJudged() {
        return false;
    }

    @Override
    public Sample round() {
        try (MongoClient client = MongoClients.create(mongo.connection());
                var cursor = (MongoChangeStreamCursor<RawBsonDocument>) client.getDatabase(LoadedMongo.DATABASE)
                        .watch()
                        .fullDocument(FullDocument.UPDATE_LOOKUP)
                        .batchSize(batch)
                        .startAtOperationTime(new BsonTimestamp(1, 1))
                        .withDocumentClass(RawBsonDocument.class)
                        .cursor()) {
            Stopwatch watch = Stopwatch.start();
            long bytes = 0;
            for (int k = 0; k < events; k++) {
                bytes += cursor.next().getByteBuffer().remaining();
            }
            if (bytes < (long) events * LoadedMongo.DOCUMENT_BYTES) {
                throw new IllegalStateException("the events are too small to be what was written");
            }
            return watch.stop(events);
        }
    }
}

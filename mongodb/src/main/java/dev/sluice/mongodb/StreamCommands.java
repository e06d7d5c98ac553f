package dev.sluice.mongodb;

import dev.sluice.capture.StartPoint;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** The commands of a change stream, as the server wants them. */
final class StreamCommands {
    private static final BsonInt32 ONE = new BsonInt32(1);
    private static final BsonString COLLECTION = new BsonString("$cmd.aggregate");

    private final MongoSourceSettings settings;
    private final CollectionFilter filter;

    /** @param filter what this stream serves of the settings' filter */
    StreamCommands(MongoSourceSettings settings, CollectionFilter filter) {
        this.settings = settings;
        this.filter = filter;
    }

    /** @param batchSize events that are wanted at once, if the reading does not ask for single ones */
    BsonDocument open(StartPoint from, Reading reading, boolean splits, int batchSize) {
        List<BsonDocument> pipeline = new ArrayList<>();
        pipeline.add(new BsonDocument("$changeStream", stream(from, reading)));
        pipeline.addAll(filter.stages());
        if (reading == Reading.BARE) {
            pipeline.add(new BsonDocument(
                    "$project", without("fullDocument", "fullDocumentBeforeChange", "updateDescription")));
        }
        if (splits) {
            pipeline.add(new BsonDocument("$changeStreamSplitLargeEvent", new BsonDocument()));
        }
        return new BsonDocument("aggregate", ONE)
                .append("pipeline", new BsonArray(pipeline))
                .append("cursor", new BsonDocument("batchSize", batchSize(reading, batchSize)))
                .append("readConcern", new BsonDocument("level", new BsonString("majority")));
    }

    private BsonDocument stream(StartPoint from, Reading reading) {
        BsonDocument stream = new BsonDocument();
        if (!reading.leavesSomethingOut()) {
            BsonString wanted = new BsonString(settings.images().fullDocument());
            stream.append("fullDocument", wanted);
            if (settings.images() != Images.NONE) {
                stream.append("fullDocumentBeforeChange", wanted);
            }
        }
        return switch (from) {
            case StartPoint.Now now -> stream;
            case StartPoint.At at ->
                stream.append("startAtOperationTime", at.time().toBson());
            case StartPoint.After after ->
                stream.append("startAfter", after.checkpoint().token().view());
        };
    }

    BsonDocument more(long cursorId, Reading reading, int batchSize) {
        return new BsonDocument("getMore", new BsonInt64(cursorId))
                .append("collection", COLLECTION)
                .append("batchSize", batchSize(reading, batchSize))
                .append("maxTimeMS", new BsonInt64(settings.maxAwait().toMillis()));
    }

    BsonDocument kill(long cursorId) {
        return new BsonDocument("killCursors", COLLECTION)
                .append("cursors", new BsonArray(List.of(new BsonInt64(cursorId))));
    }

    private static BsonInt32 batchSize(Reading reading, int full) {
        return reading == Reading.NORMAL ? new BsonInt32(full) : ONE;
    }

    private static BsonDocument without(String... fields) {
        BsonDocument projection = new BsonDocument();
        for (String field : fields) {
            projection.append(field, new BsonInt32(0));
        }
        return projection;
    }
}

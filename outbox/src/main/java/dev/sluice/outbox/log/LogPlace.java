package dev.sluice.outbox.log;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.RawBson;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonString;

/**
 * The resume token of an outbox: which log, its how manieth batch, and which rows that batch holds. It is on disk together with
 * their events, so these rows are the only ones that may be both in the log and in the table.
 *
 * @param log random, given when a log begins or begins anew behind a gap
 * @param ids none when they are gone from the table
 */
record LogPlace(String log, long batch, List<Long> ids) {
    private static final String LOG = "outbox_log";
    private static final String BATCH = "batch";
    private static final String IDS = "rows";
    private static final String SECOND = "second";

    LogPlace {
        ids = List.copyOf(ids);
    }

    LogPlace next(List<Long> rows) {
        return new LogPlace(log, batch + 1, rows);
    }

    LogPlace withoutIds() {
        return new LogPlace(log, batch, List.of());
    }

    /** The time is part of the token, so that a quiet outbox is seen to be looked at. */
    Checkpoint at(ClusterTime time) {
        ByteBuffer rows = ByteBuffer.allocate(ids.size() * Long.BYTES);
        ids.forEach(rows::putLong);
        BsonDocument token = new BsonDocument(LOG, new BsonString(log))
                .append(BATCH, new BsonInt64(batch))
                .append(SECOND, new BsonInt64(time.t()))
                .append(IDS, new BsonBinary(rows.array()));
        return new Checkpoint(RawBson.of(token), time);
    }

    /** Empty when this is no token of an outbox. */
    static Optional<LogPlace> of(Checkpoint checkpoint) {
        try {
            BsonDocument token = checkpoint.token().view();
            ByteBuffer rows = ByteBuffer.wrap(token.getBinary(IDS).getData());
            List<Long> ids = new ArrayList<>(rows.remaining() / Long.BYTES);
            while (rows.hasRemaining()) {
                ids.add(rows.getLong());
            }
            return Optional.of(new LogPlace(
                    token.getString(LOG).getValue(), token.getInt64(BATCH).getValue(), ids));
        } catch (BsonInvalidOperationException other) {
            return Optional.empty();
        }
    }
}

package dev.sluice.devmongo.oplog;

import dev.sluice.devmongo.token.ResumeToken;
import dev.sluice.devmongo.wire.BsonBytes;
import org.bson.BsonArray;
import org.bson.BsonBinaryWriter;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.io.BasicOutputBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Writes change events in the field order recorded from MongoDB 4.4: a transaction's event starts with
 * {@code txnNumber, lsid}, a rename with {@code to}, then {@code _id}. The {@code wallTime} of 6.0 and the
 * {@code truncatedArrays} of 5.0 are by documentation, not recorded.
 */
final class EventEncoder {
    private final boolean wallTime;
    private final boolean truncatedArrays;

    EventEncoder(boolean wallTime, boolean truncatedArrays) {
        this.wallTime = wallTime;
        this.truncatedArrays = truncatedArrays;
    }

    boolean writesWallTime() {
        return wallTime;
    }

    Change encode(Mutation mutation, BsonTimestamp time, long wallMillis, int index, @Nullable TransactionId txn) {
        ResumeToken token = ResumeToken.event(time, index, mutation.uuid(), mutation.documentKey());
        BasicOutputBuffer out = new BasicOutputBuffer(256);
        BsonBinaryWriter writer = new BsonBinaryWriter(out);
        writer.writeStartDocument();
        if (txn != null) {
            writer.writeInt64("txnNumber", txn.number());
            field(writer, "lsid", txn.lsid());
        }
        if (mutation.to() != null) {
            namespace(writer, "to", mutation.database(), mutation.to());
        }
        head(writer, mutation.kind().operationType(), token, wallMillis);
        int fullDocumentAt = out.getPosition();
        if (mutation.document() != null) {
            field(writer, "fullDocument", mutation.document());
        }
        namespace(writer, "ns", mutation.database(), mutation.collection());
        if (mutation.documentKey() != null) {
            field(writer, "documentKey", mutation.documentKey());
        }
        if (mutation.updateDescription() != null) {
            field(writer, "updateDescription", described(mutation.updateDescription()));
        }
        writer.writeEndDocument();
        return new Change(mutation.withoutDocument(), token, index, out.toByteArray(), fullDocumentAt);
    }

    /** An event made by hand: {@code _id}, {@code operationType} and {@code clusterTime}, then the rest as it came. */
    Change encode(BsonDocument event, BsonTimestamp time) {
        BsonDocument namespace = event.getDocument("ns", new BsonDocument());
        Mutation mutation = Mutation.custom(
                event.getString("operationType").getValue(),
                namespace.getString("db", new BsonString("")).getValue(),
                namespace.isString("coll") ? namespace.getString("coll").getValue() : null,
                event.isDocument("documentKey") ? event.getDocument("documentKey") : null);
        ResumeToken token = ResumeToken.event(time, 0, null, mutation.documentKey());
        BsonDocument whole = new BsonDocument("_id", token.document())
                .append("operationType", event.get("operationType"))
                .append("clusterTime", time);
        event.forEach(whole::putIfAbsent);
        byte[] bytes = BsonBytes.encode(whole);
        return new Change(mutation, token, 0, bytes, bytes.length - 1);
    }

    /** The event that closes a stream, right after the one that caused it. */
    byte[] invalidate(ResumeToken token, long wallMillis) {
        BasicOutputBuffer out = new BasicOutputBuffer(128);
        BsonBinaryWriter writer = new BsonBinaryWriter(out);
        writer.writeStartDocument();
        head(writer, "invalidate", token, wallMillis);
        writer.writeEndDocument();
        return out.toByteArray();
    }

    private void head(BsonBinaryWriter writer, String operationType, ResumeToken token, long wallMillis) {
        field(writer, "_id", token.document());
        writer.writeString("operationType", operationType);
        writer.writeTimestamp("clusterTime", token.clusterTime());
        if (wallTime) {
            writer.writeDateTime("wallTime", wallMillis);
        }
    }

    private BsonDocument described(BsonDocument description) {
        return truncatedArrays
                ? new BsonDocument("updatedFields", description.get("updatedFields"))
                        .append("removedFields", description.get("removedFields"))
                        .append("truncatedArrays", new BsonArray())
                : description;
    }

    private static void namespace(BsonBinaryWriter writer, String name, String database, @Nullable String collection) {
        BsonDocument namespace = new BsonDocument("db", new BsonString(database));
        if (collection != null) {
            namespace.append("coll", new BsonString(collection));
        }
        field(writer, name, namespace);
    }

    private static void field(BsonBinaryWriter writer, String name, BsonDocument value) {
        writer.writeName(name);
        BsonBytes.write(writer, value);
    }
}

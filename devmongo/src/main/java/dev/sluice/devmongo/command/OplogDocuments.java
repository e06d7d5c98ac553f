package dev.sluice.devmongo.command;

import dev.sluice.devmongo.oplog.OplogEntry;
import dev.sluice.devmongo.store.Namespace;
import java.util.List;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonTimestamp;

/** {@code local.oplog.rs} for tools that look up its oldest or newest time; entries show when, not what. */
final class OplogDocuments {
    static final Namespace NAMESPACE = new Namespace("local", "oplog.rs");

    private static final BsonString INITIATING = new BsonString("initiating set");

    private OplogDocuments() {}

    static List<BsonDocument> all(Node node) {
        BsonTimestamp beginning = node.oplog().beginning();
        return node.oplog().from(new BsonTimestamp(0, 0), true).stream()
                .map(entry ->
                        document(entry, node.topology().term(), entry.time().equals(beginning)))
                .toList();
    }

    private static BsonDocument document(OplogEntry entry, long term, boolean initiates) {
        return new BsonDocument("op", new BsonString("n"))
                .append("ns", new BsonString(""))
                .append("o", initiates ? new BsonDocument("msg", INITIATING) : new BsonDocument())
                .append("ts", entry.time())
                .append("t", new BsonInt64(term))
                .append("v", new BsonInt32(2))
                .append("wall", new BsonDateTime(entry.time().getTime() * 1000L));
    }
}

package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.store.CollectionView;
import dev.sluice.devmongo.wire.BsonBytes;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.types.ObjectId;

/** {@code insert}. */
final class Insert implements Command {
    private static final int MAX_DOCUMENT_BYTES = 16 << 20;

    @Override
    public Outcome run(Invocation call) {
        CollectionView view = call.store().writeView(call.namespace(), call.transaction());
        int[] inserted = new int[1];
        BsonArray errors = Statements.run(call, "documents", (index, document) -> {
            view.insert(withId(document));
            inserted[0]++;
        });
        return Statements.reply(call, new BsonDocument("n", new BsonInt32(inserted[0])), errors);
    }

    /** The document with its {@code _id} in front, made here if the client sent none. */
    static BsonDocument withId(BsonDocument document) {
        BsonDocument whole = document;
        if (document.isEmpty() || !document.getFirstKey().equals("_id")) {
            whole = new BsonDocument("_id", document.get("_id", new BsonObjectId(new ObjectId())));
            document.forEach(whole::putIfAbsent);
        }
        if (whole.isArray("_id")) {
            throw CommandException.location(53, "The '_id' value cannot be of type array");
        }
        requireSize(whole);
        return whole;
    }

    static void requireSize(BsonDocument document) {
        int size = BsonBytes.size(document);
        if (size > MAX_DOCUMENT_BYTES) {
            throw CommandException.badValue(
                    "object to insert too large. size in bytes: %d, max size: %d".formatted(size, MAX_DOCUMENT_BYTES));
        }
    }
}

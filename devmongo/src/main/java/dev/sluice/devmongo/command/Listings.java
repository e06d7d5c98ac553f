package dev.sluice.devmongo.command;

import dev.sluice.devmongo.query.Query;
import dev.sluice.devmongo.store.StoredCollection;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** What there is: databases, collections, and their sizes in documents. */
final class Listings {
    private Listings() {}

    static Outcome collections(Invocation call) {
        Query filter = Query.compile(call.document("filter"));
        List<BsonDocument> found = call.store().collections(call.database()).stream()
                .map(collection -> describe(collection, call.flag("nameOnly")))
                .filter(filter::matches)
                .toList();
        return Results.first(call, call.database() + ".$cmd.listCollections", found, Integer.MAX_VALUE);
    }

    private static BsonDocument describe(StoredCollection collection, boolean nameOnly) {
        BsonDocument description = new BsonDocument(
                        "name", new BsonString(collection.namespace().collection()))
                .append("type", new BsonString("collection"));
        if (nameOnly) {
            return description;
        }
        return description
                .append("options", collection.options())
                .append(
                        "info",
                        new BsonDocument("readOnly", BsonBoolean.FALSE)
                                .append("uuid", new BsonBinary(collection.uuid())))
                .append("idIndex", collection.indexes().getFirst());
    }

    static Outcome databases(Invocation call) {
        Query filter = Query.compile(call.document("filter"));
        BsonArray databases = new BsonArray();
        call.store().databaseNames().stream()
                .map(name -> new BsonDocument("name", new BsonString(name))
                        .append("sizeOnDisk", new BsonInt64(0))
                        .append("empty", BsonBoolean.FALSE))
                .filter(filter::matches)
                .forEach(databases::add);
        return Outcome.of(new BsonDocument("databases", databases)
                .append("totalSize", new BsonInt64(0))
                .append("totalSizeMb", new BsonInt64(0)));
    }

    static Outcome collectionStatistics(Invocation call) {
        StoredCollection collection = call.store().find(call.namespace());
        int count = collection == null ? 0 : collection.count();
        int indexes = collection == null ? 0 : collection.indexes().size();
        return Outcome.of(new BsonDocument("ns", new BsonString(call.namespace().toString()))
                .append("size", new BsonInt32(0))
                .append("count", new BsonInt32(count))
                .append("storageSize", new BsonInt32(0))
                .append("capped", BsonBoolean.FALSE)
                .append("nindexes", new BsonInt32(indexes))
                .append("totalIndexSize", new BsonInt32(0)));
    }

    static Outcome databaseStatistics(Invocation call) {
        List<StoredCollection> collections = call.store().collections(call.database());
        int objects = collections.stream().mapToInt(StoredCollection::count).sum();
        int indexes = collections.stream().mapToInt(c -> c.indexes().size()).sum();
        return Outcome.of(new BsonDocument("db", new BsonString(call.database()))
                .append("collections", new BsonInt32(collections.size()))
                .append("objects", new BsonInt32(objects))
                .append("dataSize", new BsonDouble(0))
                .append("storageSize", new BsonDouble(0))
                .append("indexes", new BsonInt32(indexes)));
    }
}

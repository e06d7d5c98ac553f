package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.store.Namespace;
import dev.sluice.devmongo.store.StoredCollection;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;

/** Index commands. Only uniqueness has an effect; the rest is remembered and listed. */
final class Indexes {
    private Indexes() {}

    static Outcome create(Invocation call) {
        Namespace namespace = call.namespace();
        StoredCollection existing = call.store().find(namespace);
        StoredCollection collection = existing == null ? call.store().create(namespace, new BsonDocument()) : existing;
        int before = collection.indexes().size();
        for (BsonValue index : call.command().getArray("indexes")) {
            if (collection.createIndex(index.asDocument())) {
                call.store().changed(collection);
            }
        }
        return Outcome.of(new BsonDocument("createdCollectionAutomatically", BsonBoolean.valueOf(existing == null))
                .append("numIndexesBefore", new BsonInt32(before))
                .append("numIndexesAfter", new BsonInt32(collection.indexes().size())));
    }

    static Outcome drop(Invocation call) {
        StoredCollection collection = existing(call);
        int before = collection.indexes().size();
        BsonValue which = call.command().get("index");
        if (which != null && which.isString()) {
            collection.dropIndex(which.asString().getValue());
        } else {
            collection.indexes().stream()
                    .filter(index -> index.getDocument("key").equals(which))
                    .map(index -> index.getString("name").getValue())
                    .forEach(collection::dropIndex);
        }
        call.store().changed(collection);
        return Outcome.of(new BsonDocument("nIndexesWas", new BsonInt32(before)));
    }

    static Outcome list(Invocation call) {
        return Results.first(call, call.namespace().toString(), existing(call).indexes(), Results.FIRST_BATCH);
    }

    private static StoredCollection existing(Invocation call) {
        StoredCollection collection = call.store().find(call.namespace());
        if (collection == null) {
            throw new CommandException(26, "NamespaceNotFound", "ns does not exist: " + call.namespace());
        }
        return collection;
    }
}

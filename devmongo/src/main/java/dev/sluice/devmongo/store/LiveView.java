package dev.sluice.devmongo.store;

import dev.sluice.devmongo.oplog.Mutation;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Reads and writes at once; a write waits while an open transaction holds the document. */
final class LiveView implements CollectionView {
    private final Store store;
    private final StoredCollection collection;

    LiveView(Store store, StoredCollection collection) {
        this.store = store;
        this.collection = collection;
    }

    @Override
    public Namespace namespace() {
        return collection.namespace();
    }

    @Override
    public UUID uuid() {
        return collection.uuid();
    }

    @Override
    public @Nullable BsonDocument byId(BsonValue id) {
        return collection.documents().get(id);
    }

    @Override
    public List<BsonDocument> all() {
        return collection.documents().all();
    }

    @Override
    public @Nullable BsonDocument settled(BsonDocument found) {
        BsonValue id = Objects.requireNonNull(found.get("_id"));
        store.awaitTransactions(() -> collection.writer(id) == null);
        return byId(id);
    }

    @Override
    public void apply(Mutation mutation) {
        BsonValue id = mutation.id();
        store.awaitTransactions(() -> collection.writer(id) == null);
        Documents documents = collection.writableDocuments();
        documents.check(namespace(), mutation);
        documents.apply(mutation);
        store.record(collection, mutation);
    }
}

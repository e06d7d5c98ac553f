package dev.sluice.devmongo.store;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.oplog.Effect;
import dev.sluice.devmongo.oplog.Mutation;
import dev.sluice.devmongo.query.BsonOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** One collection: its identity, which survives a rename, its indexes and its documents. Guarded by the store's lock. */
public final class StoredCollection {
    private static final String IMAGES = "changeStreamPreAndPostImages";

    private final UUID uuid;
    private final BsonDocument options;
    private final Map<String, BsonDocument> indexes = new LinkedHashMap<>();
    private final TreeMap<BsonValue, Transaction> intents = new TreeMap<>(BsonOrder.INSTANCE);
    private Namespace namespace;
    private Documents documents = new Documents();

    StoredCollection(Namespace namespace, UUID uuid, BsonDocument options) {
        this.namespace = namespace;
        this.uuid = uuid;
        this.options = options;
        indexes.put(
                "_id_",
                new BsonDocument("v", new BsonInt32(2))
                        .append("key", new BsonDocument("_id", new BsonInt32(1)))
                        .append("name", new BsonString("_id_")));
    }

    public UUID uuid() {
        return uuid;
    }

    public Namespace namespace() {
        return namespace;
    }

    void renamed(Namespace to) {
        namespace = to;
    }

    /** Options as given to {@code create}, changed by {@code collMod}. */
    public BsonDocument options() {
        return options;
    }

    /** Whether the documents before and after each change are kept for change streams. */
    public boolean recordsImages() {
        return options.isDocument(IMAGES)
                && options.getDocument(IMAGES)
                        .getBoolean("enabled", BsonBoolean.FALSE)
                        .getValue();
    }

    public List<BsonDocument> indexes() {
        return List.copyOf(indexes.values());
    }

    /** Adds an index; false if one of that name is there already. */
    public boolean createIndex(BsonDocument specification) {
        String name = specification.getString("name").getValue();
        if (indexes.containsKey(name)) {
            return false;
        }
        if (specification.getBoolean("unique", BsonBoolean.FALSE).getValue()) {
            boolean sparse =
                    specification.getBoolean("sparse", BsonBoolean.FALSE).getValue();
            documents = documents.writable();
            documents.addUnique(namespace, new UniqueIndex(name, specification.getDocument("key"), sparse));
        }
        BsonDocument stored = new BsonDocument("v", new BsonInt32(2));
        stored.putAll(specification);
        indexes.put(name, stored);
        return true;
    }

    public void dropIndex(String name) {
        if ("*".equals(name)) {
            new ArrayList<>(indexes.keySet())
                    .stream().filter(n -> !"_id_".equals(n)).forEach(this::dropIndex);
            return;
        }
        if (indexes.remove(name) == null) {
            throw new CommandException(27, "IndexNotFound", "index not found with name [" + name + "]");
        }
        documents = documents.writable();
        documents.removeUnique(name);
    }

    /** Name, options and indexes as they are now. */
    Effect.Shape shape() {
        return new Effect.Shape(uuid, namespace.database(), namespace.collection(), options, indexes());
    }

    /** Takes on the shape it had in an earlier process. */
    void restore(Namespace name, BsonDocument formerOptions, List<BsonDocument> formerIndexes) {
        namespace = name;
        options.clear();
        options.putAll(formerOptions);
        List<String> names = formerIndexes.stream()
                .map(index -> index.getString("name").getValue())
                .toList();
        new ArrayList<>(indexes.keySet())
                .stream().filter(index -> !names.contains(index)).forEach(this::dropIndex);
        formerIndexes.forEach(this::createIndex);
    }

    /** Puts a document as it was in an earlier process. */
    void restore(BsonDocument document) {
        documents.apply(Mutation.insert(namespace.database(), namespace.collection(), uuid, document));
    }

    void forget(BsonValue id) {
        documents.remove(id);
    }

    /** The current document, as an update lookup reads it. */
    public @Nullable BsonDocument byId(BsonValue id) {
        return documents.get(id);
    }

    public int count() {
        return documents.count();
    }

    Documents documents() {
        return documents;
    }

    Documents writableDocuments() {
        documents = documents.writable();
        return documents;
    }

    @Nullable
    Transaction writer(BsonValue id) {
        return intents.get(id);
    }

    void intend(BsonValue id, Transaction transaction) {
        intents.put(id, transaction);
    }

    void forget(Transaction transaction) {
        intents.values().removeIf(writer -> writer == transaction);
    }
}

package dev.sluice.devmongo.store;

import dev.sluice.devmongo.oplog.Mutation;
import dev.sluice.devmongo.query.BsonOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * The documents of one collection, by {@code _id} and in the order they were inserted. A document is never changed in
 * place, so its identity tells whether somebody wrote it since a transaction first looked.
 */
final class Documents {
    private record Stored(long record, BsonDocument document) {}

    private final TreeMap<BsonValue, Stored> byId;
    private final TreeMap<Long, BsonDocument> inOrder;
    private final List<UniqueIndex> unique;
    private long nextRecord;
    private int snapshots;

    Documents() {
        this(new TreeMap<>(BsonOrder.INSTANCE), new TreeMap<>(), new ArrayList<>(), 1);
    }

    private Documents(
            TreeMap<BsonValue, Stored> byId,
            TreeMap<Long, BsonDocument> inOrder,
            List<UniqueIndex> unique,
            long nextRecord) {
        this.byId = byId;
        this.inOrder = inOrder;
        this.unique = unique;
        this.nextRecord = nextRecord;
    }

    /** Promises the caller that these documents stay as they are until {@link #release()}. */
    Documents snapshot() {
        snapshots++;
        return this;
    }

    void release() {
        snapshots--;
    }

    /** These documents if nobody relies on them, else a copy that may be changed. */
    Documents writable() {
        return snapshots == 0
                ? this
                : new Documents(
                        new TreeMap<>(byId),
                        new TreeMap<>(inOrder),
                        new ArrayList<>(unique.stream().map(UniqueIndex::copy).toList()),
                        nextRecord);
    }

    @Nullable
    BsonDocument get(BsonValue id) {
        Stored stored = byId.get(id);
        return stored == null ? null : stored.document();
    }

    List<BsonDocument> all() {
        return new ArrayList<>(inOrder.values());
    }

    int count() {
        return inOrder.size();
    }

    void addUnique(Namespace namespace, UniqueIndex index) {
        inOrder.values().forEach(document -> {
            index.check(namespace, document);
            index.add(document);
        });
        unique.add(index);
    }

    void removeUnique(String name) {
        unique.removeIf(index -> index.name().equals(name));
    }

    /** Refuses a mutation that a unique index forbids. */
    void check(Namespace namespace, Mutation mutation) {
        BsonDocument document = after(mutation);
        if (document == null) {
            return;
        }
        BsonValue id = document.get("_id");
        if (mutation.kind() == Mutation.Kind.INSERT && byId.containsKey(id)) {
            throw new DuplicateKey(
                    namespace, "_id_", new BsonDocument("_id", new BsonInt32(1)), new BsonDocument("_id", id));
        }
        unique.forEach(index -> index.check(namespace, document));
    }

    void apply(Mutation mutation) {
        BsonValue id = mutation.id();
        BsonDocument after = after(mutation);
        if (after == null) {
            remove(id);
            return;
        }
        Stored before = byId.get(id);
        if (before != null) {
            unique.forEach(index -> index.remove(before.document()));
        }
        long record = before == null ? nextRecord++ : before.record();
        byId.put(id, new Stored(record, after));
        inOrder.put(record, after);
        unique.forEach(index -> index.add(after));
    }

    void remove(BsonValue id) {
        Stored before = byId.remove(id);
        if (before != null) {
            unique.forEach(index -> index.remove(before.document()));
            inOrder.remove(before.record());
        }
    }

    static @Nullable BsonDocument after(Mutation mutation) {
        return mutation.document() == null ? mutation.after() : mutation.document();
    }
}

package dev.sluice.devmongo.store;

import dev.sluice.devmongo.oplog.Mutation;
import dev.sluice.devmongo.query.BsonOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** A collection as a transaction sees it: as it was when the transaction first looked, plus its own writes. */
final class TransactionView implements CollectionView {
    private final Transaction transaction;
    private final StoredCollection collection;
    private final Documents snapshot;
    private final TreeMap<BsonValue, Optional<BsonDocument>> written = new TreeMap<>(BsonOrder.INSTANCE);
    private final List<BsonValue> added = new ArrayList<>();

    TransactionView(Transaction transaction, StoredCollection collection) {
        this.transaction = transaction;
        this.collection = collection;
        this.snapshot = collection.documents().snapshot();
    }

    void close() {
        snapshot.release();
        collection.forget(transaction);
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
        Optional<BsonDocument> own = written.get(id);
        return own == null ? snapshot.get(id) : own.orElse(null);
    }

    @Override
    public List<BsonDocument> all() {
        List<BsonDocument> all = new ArrayList<>();
        for (BsonDocument document : snapshot.all()) {
            Optional<BsonDocument> own = written.get(document.get("_id"));
            if (own == null) {
                all.add(document);
            } else {
                own.ifPresent(all::add);
            }
        }
        for (BsonValue id : added) {
            BsonDocument own = byId(id);
            if (own != null) {
                all.add(own);
            }
        }
        return all;
    }

    /** A transaction does not wait: whoever holds the document makes it conflict when it writes. */
    @Override
    public BsonDocument settled(BsonDocument found) {
        return found;
    }

    @Override
    public void apply(Mutation mutation) {
        BsonValue id = mutation.id();
        Transaction writer = collection.writer(id);
        if (writer != transaction && (writer != null || snapshot.get(id) != collection.byId(id))) {
            throw Transaction.writeConflict();
        }
        refuseDuplicate(mutation, id);
        collection.intend(id, transaction);
        if (written.put(id, Optional.ofNullable(Documents.after(mutation))) == null && snapshot.get(id) == null) {
            added.add(id);
        }
        transaction.record(collection, mutation);
    }

    /** An _id is taken if this transaction sees it; other unique keys are checked against what is committed. */
    private void refuseDuplicate(Mutation mutation, BsonValue id) {
        BsonDocument document = mutation.document();
        if (document == null || mutation.kind() != Mutation.Kind.INSERT || byId(id) != null) {
            snapshotWithOwn(id).check(namespace(), mutation);
            return;
        }
        collection
                .documents()
                .check(
                        namespace(),
                        Mutation.replace(namespace().database(), namespace().collection(), uuid(), document, document));
    }

    /** A document this transaction inserted itself counts as present too. */
    private Documents snapshotWithOwn(BsonValue id) {
        BsonDocument own = byId(id);
        if (own == null || collection.byId(id) != null) {
            return collection.documents();
        }
        Documents withOwn = new Documents();
        withOwn.apply(Mutation.insert(namespace().database(), namespace().collection(), uuid(), own));
        return withOwn;
    }
}

package dev.sluice.devmongo.store;

import dev.sluice.devmongo.oplog.Mutation;
import java.util.List;
import java.util.UUID;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** A collection as one command sees and changes it: directly, or through its transaction. Used under the store's lock. */
public interface CollectionView {
    Namespace namespace();

    UUID uuid();

    @Nullable
    BsonDocument byId(BsonValue id);

    /** A copy of the list, in natural order. */
    List<BsonDocument> all();

    /**
     * The document as it is once no open transaction of somebody else holds it, or null if it is gone by then. To be
     * called before a change is computed from it.
     */
    @Nullable
    BsonDocument settled(BsonDocument found);

    /**
     * Applies one change of one document.
     *
     * @throws DuplicateKey if a unique index refuses it
     */
    void apply(Mutation mutation);

    default void insert(BsonDocument document) {
        apply(Mutation.insert(namespace().database(), namespace().collection(), uuid(), document));
    }

    default void update(BsonDocument before, BsonDocument after, BsonDocument description) {
        apply(Mutation.update(namespace().database(), namespace().collection(), uuid(), before, after, description));
    }

    default void replace(BsonDocument before, BsonDocument after) {
        apply(Mutation.replace(namespace().database(), namespace().collection(), uuid(), before, after));
    }

    default void delete(BsonDocument before) {
        apply(Mutation.delete(namespace().database(), namespace().collection(), uuid(), before));
    }
}

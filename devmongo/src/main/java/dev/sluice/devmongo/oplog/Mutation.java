package dev.sluice.devmongo.oplog;

import java.util.Arrays;
import java.util.Objects;
import java.util.UUID;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * One change the store made, before it has a time: what its change event will say.
 *
 * @param collection absent for dropDatabase
 * @param to where a rename went
 * @param document the new document of an insert or replace
 * @param before the document as it was, kept only if the collection records pre-images
 * @param after the document as it became, kept only if the collection records pre- and post-images
 */
public record Mutation(
        Kind kind,
        String database,
        @Nullable String collection,
        @Nullable UUID uuid,
        @Nullable BsonDocument documentKey,
        @Nullable BsonDocument document,
        @Nullable BsonDocument updateDescription,
        @Nullable String to,
        @Nullable BsonDocument before,
        @Nullable BsonDocument after) {

    /** What happened; the text is the event's {@code operationType}. */
    public enum Kind {
        INSERT("insert"),
        UPDATE("update"),
        REPLACE("replace"),
        DELETE("delete"),
        DROP("drop"),
        RENAME("rename"),
        DROP_DATABASE("dropDatabase");

        private final String operationType;

        Kind(String operationType) {
            this.operationType = operationType;
        }

        public String operationType() {
            return operationType;
        }
    }

    public static Mutation insert(String database, String collection, UUID uuid, BsonDocument document) {
        return new Mutation(Kind.INSERT, database, collection, uuid, key(document), document, null, null, null, null);
    }

    public static Mutation update(
            String database,
            String collection,
            UUID uuid,
            BsonDocument before,
            BsonDocument after,
            BsonDocument description) {
        return new Mutation(
                Kind.UPDATE, database, collection, uuid, key(after), null, description, null, before, after);
    }

    public static Mutation replace(
            String database, String collection, UUID uuid, BsonDocument before, BsonDocument after) {
        return new Mutation(Kind.REPLACE, database, collection, uuid, key(after), after, null, null, before, null);
    }

    public static Mutation delete(String database, String collection, UUID uuid, BsonDocument before) {
        return new Mutation(Kind.DELETE, database, collection, uuid, key(before), null, null, null, before, null);
    }

    public static Mutation drop(String database, String collection, UUID uuid) {
        return new Mutation(Kind.DROP, database, collection, uuid, null, null, null, null, null, null);
    }

    public static Mutation rename(String database, String collection, UUID uuid, String to) {
        return new Mutation(Kind.RENAME, database, collection, uuid, null, null, null, to, null, null);
    }

    public static Mutation dropDatabase(String database) {
        return new Mutation(Kind.DROP_DATABASE, database, null, null, null, null, null, null, null, null);
    }

    /** What an event made by hand amounts to; a type this version does not know counts as an insert. */
    static Mutation custom(
            String operationType, String database, @Nullable String collection, @Nullable BsonDocument documentKey) {
        Kind kind = Arrays.stream(Kind.values())
                .filter(known -> known.operationType().equals(operationType) && known != Kind.UPDATE)
                .findFirst()
                .orElse(Kind.INSERT);
        return new Mutation(kind, database, collection, null, documentKey, null, null, null, null, null);
    }

    /** The {@code _id} of the one document that changed; only for changes of documents. */
    public BsonValue id() {
        return Objects.requireNonNull(Objects.requireNonNull(documentKey).get("_id"));
    }

    /** Without the images that only collections with {@code changeStreamPreAndPostImages} keep. */
    public Mutation withoutImages() {
        return new Mutation(kind, database, collection, uuid, documentKey, document, updateDescription, to, null, null);
    }

    /** Without what the encoded event holds already. */
    Mutation withoutDocument() {
        return new Mutation(kind, database, collection, uuid, documentKey, null, null, to, before, after);
    }

    private static BsonDocument key(BsonDocument document) {
        return new BsonDocument("_id", document.get("_id"));
    }
}

package dev.sluice.devmongo.query;

import org.bson.BsonDocument;

/** A {@code projection} compiled once: which part of a document is wanted. */
public final class Projection {
    private Projection() {}

    public static Projection compile(BsonDocument specification) {
        return new Projection();
    }

    public BsonDocument apply(BsonDocument document) {
        return document;
    }
}

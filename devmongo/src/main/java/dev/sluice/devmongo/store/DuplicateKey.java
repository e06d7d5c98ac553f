package dev.sluice.devmongo.store;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.token.MongoText;
import org.bson.BsonDocument;

/** A write that a unique index refuses (E11000). */
public final class DuplicateKey extends RuntimeException {
    private static final int CODE = 11000;

    private final transient BsonDocument keyPattern;
    private final transient BsonDocument keyValue;

    DuplicateKey(Namespace namespace, String index, BsonDocument keyPattern, BsonDocument keyValue) {
        super("E11000 duplicate key error collection: %s index: %s dup key: %s"
                .formatted(namespace, index, MongoText.spaced(keyValue)));
        this.keyPattern = keyPattern;
        this.keyValue = keyValue;
    }

    public BsonDocument keyPattern() {
        return keyPattern;
    }

    public BsonDocument keyValue() {
        return keyValue;
    }

    public CommandException asCommandError() {
        return new CommandException(CODE, "DuplicateKey", String.valueOf(getMessage()));
    }
}

package dev.sluice.devmongo.aggregate;

import java.time.Instant;
import java.util.Map;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** What an expression can see: the document, and the variables that {@code $map} or {@code $let} bound around it. */
public final class Scope {
    private final BsonDocument root;
    private final Instant now;
    private final Map<String, BsonValue> variables;

    private Scope(BsonDocument root, Instant now, Map<String, BsonValue> variables) {
        this.root = root;
        this.now = now;
        this.variables = variables;
    }

    /** A scope that reads the wall clock for {@code $$NOW}. */
    public static Scope of(BsonDocument root) {
        return of(root, Instant.now());
    }

    public static Scope of(BsonDocument root, Instant now) {
        return new Scope(root, now, Map.of());
    }

    BsonDocument root() {
        return root;
    }

    BsonDateTime now() {
        return new BsonDateTime(now.toEpochMilli());
    }

    @Nullable
    BsonValue variable(String name) {
        return variables.get(name);
    }
}

package dev.sluice.devmongo.aggregate;

import dev.sluice.devmongo.CommandException;
import java.time.Instant;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** What an expression can see: the document, and the variables that {@code $map} or {@code $let} bound around it. */
public final class Scope {
    private record Variable(
            String name,
            @Nullable BsonValue value,
            @Nullable Variable outer) {}

    private final BsonDocument root;
    private final Instant now;
    private final @Nullable Variable variables;

    private Scope(BsonDocument root, Instant now, @Nullable Variable variables) {
        this.root = root;
        this.now = now;
        this.variables = variables;
    }

    /** A scope that reads the wall clock for {@code $$NOW}. */
    public static Scope of(BsonDocument root) {
        return of(root, Instant.now());
    }

    public static Scope of(BsonDocument root, Instant now) {
        return new Scope(root, now, null);
    }

    public BsonDocument root() {
        return root;
    }

    BsonDateTime now() {
        return new BsonDateTime(now.toEpochMilli());
    }

    Scope with(String name, @Nullable BsonValue value) {
        return new Scope(root, now, new Variable(name, value, variables));
    }

    @Nullable
    BsonValue variable(String name) {
        for (Variable variable = variables; variable != null; variable = variable.outer) {
            if (variable.name.equals(name)) {
                return variable.value;
            }
        }
        throw CommandException.location(17276, "Use of undefined variable: " + name);
    }
}

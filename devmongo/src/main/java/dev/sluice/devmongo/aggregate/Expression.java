package dev.sluice.devmongo.aggregate;

import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** One compiled aggregation expression. Evaluates to null where MongoDB says the value is missing. */
@FunctionalInterface
public interface Expression {
    @Nullable
    BsonValue evaluate(Scope scope);

    static Expression compile(BsonValue expression) {
        return scope -> expression;
    }
}

package dev.sluice.devmongo.query;

import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** A question about one value; null stands for a field that is missing. */
@FunctionalInterface
interface ValueTest {
    boolean test(@Nullable BsonValue value);
}

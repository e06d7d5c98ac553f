package dev.sluice.devmongo.command;

import dev.sluice.devmongo.query.BsonOrder;
import dev.sluice.devmongo.query.Query;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code distinct}: the values of one field, each once; arrays count with their elements. */
final class Distinct implements Command {
    @Override
    public Outcome run(Invocation call) {
        BsonDocument filter = call.document("query");
        String[] path = call.command().getString("key").getValue().split("\\.", -1);
        TreeSet<BsonValue> values = new TreeSet<>(BsonOrder.INSTANCE);
        Candidates.find(call.store().readView(call.namespace(), call.transaction()), filter, Query.compile(filter))
                .forEach(document -> collect(document, path, 0, values));
        return Outcome.of(new BsonDocument("values", new BsonArray(java.util.List.copyOf(values))));
    }

    private static void collect(@Nullable BsonValue value, String[] path, int depth, TreeSet<BsonValue> values) {
        if (value == null) {
            return;
        }
        if (value.isArray()) {
            value.asArray().forEach(element -> collect(element, path, depth, values));
        } else if (depth == path.length) {
            values.add(value);
        } else if (value.isDocument()) {
            collect(value.asDocument().get(path[depth]), path, depth + 1, values);
        }
    }
}

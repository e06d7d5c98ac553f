package dev.sluice.devmongo.aggregate;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.query.BsonOrder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;

/** {@code $group}. Groups come out ordered by their {@code _id}, which MongoDB leaves open. */
record Group(Expression id, List<Field> fields) implements Stage {
    /** One output field: an accumulator and what it is fed. */
    record Field(String name, String accumulator, Expression input) {}

    static Group compile(BsonDocument specification) {
        if (!specification.containsKey("_id")) {
            throw CommandException.location(15955, "a group specification must include an _id");
        }
        List<Field> fields = new ArrayList<>();
        specification.forEach((name, value) -> {
            if (!name.equals("_id")) {
                fields.add(field(name, value));
            }
        });
        return new Group(Expression.compile(specification.get("_id")), List.copyOf(fields));
    }

    private static Field field(String name, BsonValue value) {
        if (!(value instanceof BsonDocument accumulator)) {
            throw CommandException.location(40234, "The field '" + name + "' must be an accumulator object");
        }
        if (accumulator.size() != 1) {
            throw CommandException.location(40238, "The field '" + name + "' must specify one accumulator");
        }
        var only = accumulator.entrySet().iterator().next();
        String operator = only.getKey();
        if (operator.equals("$count")) {
            return new Field(name, "$sum", scope -> new BsonInt32(1));
        }
        Accumulator.named(operator); // refuses an unknown one now, not at the first document
        return new Field(name, operator, Expression.compile(only.getValue()));
    }

    @Override
    public Stream<BsonDocument> run(Stream<BsonDocument> documents, Instant now) {
        Map<BsonValue, List<Accumulator>> groups = new TreeMap<>(BsonOrder.INSTANCE);
        documents.forEachOrdered(document -> {
            Scope scope = Scope.of(document, now);
            List<Accumulator> group = groups.computeIfAbsent(id.valueOrNull(scope), key -> newAccumulators());
            for (int i = 0; i < fields.size(); i++) {
                group.get(i).add(fields.get(i).input.evaluate(scope));
            }
        });
        return groups.entrySet().stream().map(group -> result(group.getKey(), group.getValue()));
    }

    private List<Accumulator> newAccumulators() {
        return fields.stream()
                .map(field -> Accumulator.named(field.accumulator))
                .toList();
    }

    private BsonDocument result(BsonValue key, List<Accumulator> accumulators) {
        BsonDocument result = new BsonDocument("_id", key);
        for (int i = 0; i < fields.size(); i++) {
            result.put(fields.get(i).name, accumulators.get(i).result());
        }
        return result;
    }
}

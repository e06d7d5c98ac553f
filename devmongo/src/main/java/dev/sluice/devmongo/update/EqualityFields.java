package dev.sluice.devmongo.update;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.query.BsonCopy;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonRegularExpression;
import org.bson.BsonValue;

/** The fields a query demands to be equal to something: what an upsert starts from. */
final class EqualityFields {
    private final BsonDocument fields = new BsonDocument();

    private EqualityFields() {}

    static BsonDocument of(BsonDocument query) {
        EqualityFields equalities = new EqualityFields();
        equalities.collect(BsonCopy.of(query));
        return equalities.fields;
    }

    private void collect(BsonDocument query) {
        query.forEach((name, value) -> {
            boolean single = value instanceof BsonArray branches && branches.size() == 1;
            if (name.equals("$and") || (name.equals("$or") && single)) {
                value.asArray().forEach(branch -> collect(branch.asDocument()));
            } else if (!name.startsWith("$")) {
                collectField(name, value);
            }
        });
    }

    private void collectField(String path, BsonValue condition) {
        boolean operators = condition instanceof BsonDocument document
                && !document.isEmpty()
                && document.getFirstKey().startsWith("$");
        if (!operators) {
            if (!(condition instanceof BsonRegularExpression)) {
                put(path, condition);
            }
            return;
        }
        BsonValue equal = condition.asDocument().get("$eq");
        if (equal != null) {
            put(path, equal);
        }
        if (condition.asDocument().get("$all") instanceof BsonArray all && all.size() == 1) {
            collectField(path, all.getFirst());
        }
    }

    private void put(String path, BsonValue value) {
        String[] names = path.split("\\.", -1);
        BsonDocument parent = fields;
        for (int i = 0; i < names.length - 1; i++) {
            BsonValue next = parent.computeIfAbsent(names[i], name -> new BsonDocument());
            if (!(next instanceof BsonDocument document)) {
                throw matchedTwice(path);
            }
            parent = document;
        }
        if (parent.put(names[names.length - 1], value) != null) {
            throw matchedTwice(path);
        }
    }

    private static CommandException matchedTwice(String path) {
        return new CommandException(
                54, "NotSingleValueField", "cannot infer query fields to set, path '" + path + "' is matched twice");
    }
}

package dev.sluice.devmongo.aggregate;

import dev.sluice.devmongo.CommandException;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $a.b} and {@code $$variable.a.b}. On an array, a field name stands for that field of every element. */
final class Reference {
    private Reference() {}

    static Expression compile(String reference) {
        if (!reference.startsWith("$$")) {
            String[] path = split(reference.substring(1));
            return scope -> follow(scope.root(), path, 0);
        }
        String[] path = split(reference.substring(2));
        return switch (path[0]) {
            case "ROOT", "CURRENT" -> scope -> follow(scope.root(), path, 1);
            case "NOW" -> Scope::now;
            case "REMOVE" -> scope -> null;
            case "KEEP" -> scope -> Redact.KEEP;
            case "PRUNE" -> scope -> Redact.PRUNE;
            case "DESCEND" -> scope -> Redact.DESCEND;
            default -> scope -> follow(scope.variable(path[0]), path, 1);
        };
    }

    private static String[] split(String path) {
        String[] names = path.split("\\.", -1);
        for (String name : names) {
            if (name.isEmpty()) {
                throw CommandException.location(40353, "FieldPath must not end with a '.'.");
            }
            if (name.startsWith("$")) {
                throw CommandException.location(16410, "FieldPath field names may not start with '$'.");
            }
        }
        return names;
    }

    private static @Nullable BsonValue follow(@Nullable BsonValue from, String[] path, int depth) {
        if (depth == path.length) {
            return from;
        }
        if (from instanceof BsonDocument document) {
            return follow(document.get(path[depth]), path, depth + 1);
        }
        return from instanceof BsonArray array ? followEach(array, path, depth) : null;
    }

    private static BsonArray followEach(BsonArray array, String[] path, int depth) {
        BsonArray found = new BsonArray();
        for (BsonValue element : array) {
            BsonValue value = follow(element, path, depth);
            if (value != null) {
                found.add(value);
            }
        }
        return found;
    }
}

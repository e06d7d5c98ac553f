package dev.sluice.devmongo.aggregate;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.query.BsonCopy;
import java.time.Instant;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $unwind}: one document per element of an array. */
record Unwind(String[] path, @Nullable String indexField, boolean keepEmpty) implements Stage {
    static Unwind compile(BsonValue operand) {
        BsonDocument options = operand instanceof BsonDocument document ? document : new BsonDocument("path", operand);
        if (!(options.get("path") instanceof BsonString path)) {
            throw CommandException.location(28808, "expected a string as the path for $unwind stage");
        }
        if (!path.getValue().startsWith("$")) {
            throw CommandException.location(
                    28818, "path option to $unwind stage should be prefixed with a '$': " + path.getValue());
        }
        BsonValue index = options.get("includeArrayIndex");
        return new Unwind(
                path.getValue().substring(1).split("\\.", -1),
                index == null ? null : index.asString().getValue(),
                options.getBoolean("preserveNullAndEmptyArrays", BsonBoolean.FALSE)
                        .getValue());
    }

    @Override
    public Stream<BsonDocument> run(Stream<BsonDocument> documents, Instant now) {
        return documents.flatMap(this::unwind);
    }

    private Stream<BsonDocument> unwind(BsonDocument document) {
        BsonValue value = find(document);
        if (value instanceof BsonArray array && !array.isEmpty()) {
            return IntStream.range(0, array.size()).mapToObj(i -> with(document, array.get(i), new BsonInt64(i)));
        }
        if (value instanceof BsonArray) {
            return keepEmpty ? Stream.of(with(document, null, BsonNull.VALUE)) : Stream.empty();
        }
        if (Expression.isNothing(value)) {
            return keepEmpty ? Stream.of(document) : Stream.empty();
        }
        return Stream.of(with(document, value, BsonNull.VALUE));
    }

    private @Nullable BsonValue find(BsonDocument document) {
        BsonValue value = document;
        for (String name : path) {
            value = value instanceof BsonDocument nested ? nested.get(name) : null;
        }
        return value;
    }

    private BsonDocument with(BsonDocument document, @Nullable BsonValue value, BsonValue index) {
        BsonDocument copy = BsonCopy.of(document);
        BsonDocument parent = copy;
        for (int i = 0; i < path.length - 1; i++) {
            parent = parent.getDocument(path[i]);
        }
        if (value == null) {
            parent.remove(path[path.length - 1]);
        } else {
            parent.put(path[path.length - 1], value);
        }
        if (indexField != null) {
            copy.put(indexField, index);
        }
        return copy;
    }
}

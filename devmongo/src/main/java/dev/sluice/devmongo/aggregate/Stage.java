package dev.sluice.devmongo.aggregate;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.query.Projection;
import dev.sluice.devmongo.query.Query;
import dev.sluice.devmongo.query.SortOrder;
import dev.sluice.devmongo.query.TypeNames;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.bson.BsonValue;

/** One compiled stage: documents in, documents out. {@code now} is one instant for the whole run. */
@FunctionalInterface
interface Stage {
    Stream<BsonDocument> run(Stream<BsonDocument> documents, Instant now);

    static Stage compile(String name, BsonValue operand) {
        return switch (name) {
            case "$match" -> match(operand);
            case "$project" -> project(operand);
            case "$addFields", "$set" -> projecting(Projection.adding(document(name, operand)));
            case "$unset" -> projecting(Projection.without(paths(operand)));
            case "$replaceRoot" -> replaceRoot(Operators.argument(name, document(name, operand), "newRoot"));
            case "$replaceWith" -> replaceRoot(Expression.compile(operand));
            case "$redact" -> new Redact(Expression.compile(operand));
            case "$sort" -> sort(document(name, operand));
            case "$limit" -> limit(operand);
            case "$skip" -> skip(operand);
            case "$count" -> count(operand);
            case "$group" -> Group.compile(document(name, operand));
            case "$unwind" -> Unwind.compile(operand);
            case "$sample" -> sample(document(name, operand));
            case "$facet" -> facet(document(name, operand));
            default -> throw CommandException.location(40324, "Unrecognized pipeline stage name: '" + name + "'");
        };
    }

    private static Stage match(BsonValue operand) {
        if (!(operand instanceof BsonDocument filter)) {
            throw CommandException.location(15959, "the match filter must be an expression in an object");
        }
        Query query = Query.compile(filter);
        return (documents, now) -> documents.filter(query::matches);
    }

    private static Stage project(BsonValue operand) {
        if (!(operand instanceof BsonDocument specification)) {
            throw CommandException.location(15969, "$project specification must be an object");
        }
        if (specification.isEmpty()) {
            throw CommandException.location(
                    51272, "Invalid $project :: caused by :: projection specification must have at least one field");
        }
        return projecting(Projection.compile(specification));
    }

    private static Stage projecting(Projection projection) {
        return (documents, now) -> documents.map(document -> projection.apply(Scope.of(document, now)));
    }

    private static Stage replaceRoot(Expression newRoot) {
        return (documents, now) -> documents.map(document -> {
            BsonValue root = newRoot.evaluate(Scope.of(document, now));
            if (root instanceof BsonDocument replaced) {
                return replaced;
            }
            throw CommandException.location(
                    40228,
                    "'newRoot' expression must evaluate to an object, but resulting value was of type: "
                            + (root == null ? "missing" : TypeNames.of(root)));
        });
    }

    private static Stage sort(BsonDocument specification) {
        if (specification.isEmpty()) {
            throw CommandException.location(15976, "$sort stage must have at least one sort key");
        }
        SortOrder order = SortOrder.compile(specification);
        return (documents, now) -> documents.sorted(order);
    }

    private static Stage limit(BsonValue operand) {
        long limit = count("$limit", 15957, operand);
        if (limit <= 0) {
            throw CommandException.location(15958, "the limit must be positive");
        }
        return (documents, now) -> documents.limit(limit);
    }

    private static Stage skip(BsonValue operand) {
        long skip = count("$skip", 15972, operand);
        if (skip < 0) {
            throw CommandException.location(15956, "Argument to $skip cannot be negative");
        }
        return (documents, now) -> documents.skip(skip);
    }

    private static Stage count(BsonValue operand) {
        if (!(operand instanceof BsonString name)
                || name.getValue().isEmpty()
                || name.getValue().startsWith("$")) {
            throw CommandException.location(
                    40156, "the count field must be a non-empty string that is no $-prefixed path");
        }
        return (documents, now) -> {
            long count = documents.count();
            return count == 0
                    ? Stream.empty()
                    : Stream.of(new BsonDocument(name.getValue(), new BsonInt32(Math.toIntExact(count))));
        };
    }

    private static Stage sample(BsonDocument specification) {
        long size = count("$sample", 28746, specification.get("size", new BsonString("")));
        return (documents, now) -> {
            List<BsonDocument> all = new ArrayList<>(documents.toList());
            Collections.shuffle(all);
            return all.stream().limit(size);
        };
    }

    private static Stage facet(BsonDocument specification) {
        Map<String, Pipeline> facets = new LinkedHashMap<>();
        specification.forEach((name, stages) -> facets.put(name, facetPipeline(stages)));
        return (documents, now) -> {
            List<BsonDocument> all = documents.toList();
            BsonDocument result = new BsonDocument();
            facets.forEach((name, facet) ->
                    result.put(name, new BsonArray(facet.run(all.stream(), now).toList())));
            return Stream.of(result);
        };
    }

    private static Pipeline facetPipeline(BsonValue stages) {
        return Pipeline.compile(
                stages.asArray().stream().map(BsonValue::asDocument).toList());
    }

    private static List<String> paths(BsonValue operand) {
        List<BsonValue> paths = operand instanceof BsonArray array ? array : List.of(operand);
        if (paths.isEmpty() || !paths.stream().allMatch(BsonString.class::isInstance)) {
            throw CommandException.location(31002, "$unset specification must be a string or an array of strings");
        }
        return paths.stream().map(path -> path.asString().getValue()).toList();
    }

    private static long count(String name, int code, BsonValue operand) {
        if (operand instanceof BsonNumber number) {
            return number.longValue();
        }
        throw CommandException.location(code, "the argument of " + name + " must be specified as a number");
    }

    private static BsonDocument document(String name, BsonValue operand) {
        if (operand instanceof BsonDocument document) {
            return document;
        }
        throw CommandException.location(
                40272, name + " specification stage must be an object, got " + TypeNames.of(operand));
    }
}

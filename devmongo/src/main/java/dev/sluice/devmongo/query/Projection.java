package dev.sluice.devmongo.query;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.aggregate.Expression;
import dev.sluice.devmongo.aggregate.Scope;
import dev.sluice.devmongo.query.ProjectionTree.Node;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonNumber;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Which part of a document is wanted, compiled once: the projection of {@code find} and {@code $project}, and the
 * stages that are projections too ({@code $addFields}, {@code $unset}).
 */
public final class Projection {
    private enum Mode {
        INCLUDE,
        EXCLUDE,
        ADD
    }

    private final ProjectionTree tree = new ProjectionTree();
    private @Nullable Mode mode;

    private Projection(@Nullable Mode mode) {
        this.mode = mode;
    }

    /** An empty specification wants the whole document. */
    public static Projection compile(BsonDocument specification) {
        Projection projection = new Projection(null);
        projection.readAll("", specification);
        boolean inclusion =
                projection.mode == Mode.INCLUDE || (projection.mode == null && isTrue(specification.get("_id")));
        projection.mode = inclusion ? Mode.INCLUDE : Mode.EXCLUDE;
        if (inclusion && !projection.tree.contains("_id")) {
            projection.tree.put("_id", ProjectionTree.KEEP);
        }
        return projection;
    }

    /** {@code $addFields}: the whole document and some computed fields. */
    public static Projection adding(BsonDocument fields) {
        Projection projection = new Projection(Mode.ADD);
        projection.readAll("", fields);
        return projection;
    }

    /** {@code $unset}: the whole document but some fields. */
    public static Projection without(List<String> paths) {
        Projection projection = new Projection(Mode.EXCLUDE);
        paths.forEach(path -> projection.tree.put(path, ProjectionTree.DROP));
        return projection;
    }

    public BsonDocument apply(BsonDocument document) {
        return apply(Scope.of(document));
    }

    /** The projection of the scope's document. */
    public BsonDocument apply(Scope scope) {
        if (mode == Mode.EXCLUDE) {
            return tree.exclude(scope.root());
        }
        return mode == Mode.ADD ? tree.add(scope.root(), scope) : tree.include(scope.root(), scope);
    }

    private void readAll(String prefix, BsonDocument specification) {
        specification.forEach((name, value) -> read(prefix + name, value));
    }

    private void read(String path, BsonValue value) {
        if (path.endsWith(".$")) {
            throw CommandException.badValue(
                    "Positional projection '" + path + "' is not supported here, use $elemMatch");
        }
        if (value instanceof BsonDocument document && !document.isEmpty()) {
            readDocument(path, document);
        } else if (mode != Mode.ADD && (value instanceof BsonNumber || value instanceof BsonBoolean)) {
            readFlag(path, isTrue(value));
        } else {
            compute(path, value);
        }
    }

    private void readDocument(String path, BsonDocument document) {
        BsonValue range = mode == Mode.ADD ? null : document.get("$slice");
        BsonValue condition = mode == Mode.ADD ? null : document.get("$elemMatch");
        if (!FieldOperators.isOperators(document)) {
            readAll(path + ".", document);
        } else if (range != null && isFindSlice(range)) {
            tree.put(path, new Node.Trim(one -> sliced(one, range)));
        } else if (condition != null) {
            agree(path, Mode.INCLUDE);
            Query query = Query.compile(new BsonDocument("e", new BsonDocument("$elemMatch", condition)));
            tree.put(path, new Node.Trim(one -> firstMatch(one, query)));
        } else {
            compute(path, document);
        }
    }

    private void compute(String path, BsonValue expression) {
        if (mode != Mode.ADD) {
            agree(path, Mode.INCLUDE);
        }
        tree.put(path, new Node.Compute(Expression.compile(expression)));
    }

    /** {@code _id} may be kept or dropped in both modes; any other field decides the mode. */
    private void readFlag(String path, boolean keep) {
        if (!path.equals("_id")) {
            agree(path, keep ? Mode.INCLUDE : Mode.EXCLUDE);
        }
        tree.put(path, keep ? ProjectionTree.KEEP : ProjectionTree.DROP);
    }

    private void agree(String path, Mode wanted) {
        if (mode == null) {
            mode = wanted;
        }
        if (mode != wanted) {
            throw mode == Mode.INCLUDE
                    ? CommandException.location(
                            31254, "Cannot do exclusion on field " + path + " in inclusion projection")
                    : CommandException.location(
                            31253, "Cannot do inclusion on field " + path + " in exclusion projection");
        }
    }

    /** The find form takes numbers; anything else is the aggregation operator of the same name. */
    private static boolean isFindSlice(BsonValue range) {
        return range instanceof BsonNumber
                || (range instanceof BsonArray pair && pair.size() == 2 && pair.getFirst() instanceof BsonNumber);
    }

    private static @Nullable BsonValue sliced(@Nullable BsonValue value, BsonValue range) {
        if (!(value instanceof BsonArray array)) {
            return value;
        }
        int first = range instanceof BsonArray pair ? number(pair.getFirst()) : Math.min(number(range), 0);
        int count = range instanceof BsonArray pair ? number(pair.get(1)) : Math.abs(number(range));
        int from = first < 0 ? Math.max(array.size() + first, 0) : Math.min(first, array.size());
        return new BsonArray(array.subList(from, (int) Math.min((long) from + count, array.size())));
    }

    private static @Nullable BsonValue firstMatch(@Nullable BsonValue value, Query query) {
        if (!(value instanceof BsonArray array)) {
            return null;
        }
        int position = query.matchedPosition(new BsonDocument("e", array)).orElse(-1);
        return position < 0 ? null : new BsonArray(List.of(array.get(position)));
    }

    private static int number(BsonValue value) {
        return value.asNumber().intValue();
    }

    private static boolean isTrue(@Nullable BsonValue value) {
        return value != null && FieldOperators.isTrue(value);
    }
}

package dev.sluice.devmongo.query;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.aggregate.Expression;
import dev.sluice.devmongo.aggregate.Scope;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** The fields a projection names, as a tree along their paths, and the three ways to lay it over a document. */
final class ProjectionTree {
    sealed interface Node {
        record Keep() implements Node {}

        record Drop() implements Node {}

        /** Keeps part of the value ({@code $slice}, {@code $elemMatch}), or nothing if that says null. */
        record Trim(UnaryOperator<@Nullable BsonValue> part) implements Node {}

        record Compute(Expression expression) implements Node {}

        record Branch(ProjectionTree tree) implements Node {}
    }

    static final Node KEEP = new Node.Keep();
    static final Node DROP = new Node.Drop();

    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private boolean computes;

    void put(String path, Node node) {
        computes |= node instanceof Node.Compute;
        int dot = path.indexOf('.');
        if (dot < 0) {
            if (nodes.put(path, node) != null) {
                throw CommandException.location(31250, "Path collision at " + path);
            }
            return;
        }
        Node child = nodes.computeIfAbsent(path.substring(0, dot), name -> new Node.Branch(new ProjectionTree()));
        if (!(child instanceof Node.Branch branch)) {
            throw CommandException.location(
                    31249, "Path collision at " + path + " remaining portion " + path.substring(dot + 1));
        }
        branch.tree.put(path.substring(dot + 1), node);
    }

    boolean contains(String name) {
        return nodes.containsKey(name);
    }

    /** Only what is named; computed fields come last, in the order of the specification. */
    BsonDocument include(BsonDocument document, Scope scope) {
        BsonDocument result = new BsonDocument();
        document.forEach((name, value) -> {
            BsonValue kept = switch (nodes.getOrDefault(name, DROP)) {
                case Node.Keep keep -> value;
                case Node.Trim trim -> trim.part.apply(value);
                case Node.Branch branch -> branch.tree.includeValue(value, scope);
                case Node.Drop drop -> null;
                case Node.Compute later -> null;
            };
            putUnlessMissing(result, name, kept);
        });
        addComputed(result, scope);
        return result;
    }

    private @Nullable BsonValue includeValue(BsonValue value, Scope scope) {
        return switch (value) {
            case BsonDocument document -> include(document, scope);
            case BsonArray array -> {
                BsonArray kept = new BsonArray();
                for (BsonValue element : array) {
                    BsonValue one = includeValue(element, scope);
                    if (one != null) {
                        kept.add(one);
                    }
                }
                yield kept;
            }
            default -> computes() ? include(new BsonDocument(), scope) : null;
        };
    }

    private boolean computes() {
        return computes;
    }

    private void addComputed(BsonDocument result, Scope scope) {
        nodes.forEach((name, node) -> {
            if (node instanceof Node.Compute compute) {
                putUnlessMissing(result, name, compute.expression.evaluate(scope));
            } else if (node instanceof Node.Branch branch && branch.tree.computes() && !result.containsKey(name)) {
                result.put(name, branch.tree.include(new BsonDocument(), scope));
            }
        });
    }

    /** Everything but what is named. */
    BsonDocument exclude(BsonDocument document) {
        BsonDocument result = new BsonDocument();
        document.forEach((name, value) -> {
            BsonValue kept = switch (nodes.getOrDefault(name, KEEP)) {
                case Node.Drop drop -> null;
                case Node.Trim trim -> trim.part.apply(value);
                case Node.Branch branch -> branch.tree.excludeValue(value);
                case Node.Keep keep -> value;
                case Node.Compute never -> value;
            };
            putUnlessMissing(result, name, kept);
        });
        return result;
    }

    private BsonValue excludeValue(BsonValue value) {
        return switch (value) {
            case BsonDocument document -> exclude(document);
            case BsonArray array -> {
                BsonArray kept = new BsonArray();
                array.forEach(element -> kept.add(excludeValue(element)));
                yield kept;
            }
            default -> value;
        };
    }

    /** The whole document, with what is computed put in place or at the end; a missing value removes its field. */
    BsonDocument add(BsonDocument document, Scope scope) {
        BsonDocument result = new BsonDocument();
        result.putAll(document);
        nodes.forEach((name, node) -> {
            if (node instanceof Node.Compute compute) {
                BsonValue value = compute.expression.evaluate(scope);
                if (value == null) {
                    result.remove(name);
                }
                putUnlessMissing(result, name, value);
            } else if (node instanceof Node.Branch branch) {
                result.put(name, branch.tree.addValue(result.get(name), scope));
            }
        });
        return result;
    }

    private BsonValue addValue(@Nullable BsonValue value, Scope scope) {
        if (value instanceof BsonArray array) {
            BsonArray added = new BsonArray();
            array.forEach(element -> added.add(addValue(element, scope)));
            return added;
        }
        return add(value instanceof BsonDocument document ? document : new BsonDocument(), scope);
    }

    private static void putUnlessMissing(BsonDocument document, String name, @Nullable BsonValue value) {
        if (value != null) {
            document.put(name, value);
        }
    }
}

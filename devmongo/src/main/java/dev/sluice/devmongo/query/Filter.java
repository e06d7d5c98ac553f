package dev.sluice.devmongo.query;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.aggregate.Expression;
import dev.sluice.devmongo.aggregate.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** A condition on a whole document. Answers are positions as {@link FieldPath#find} gives them. */
sealed interface Filter {
    int locate(BsonDocument document);

    static Filter compile(BsonDocument filter) {
        List<Filter> clauses = new ArrayList<>();
        for (Map.Entry<String, BsonValue> entry : filter.entrySet()) {
            BsonValue operand = entry.getValue();
            switch (entry.getKey()) {
                case "$comment" -> {}
                case "$and" -> clauses.add(new AllOf(branches("$and", operand)));
                case "$or" -> clauses.add(new AnyOf(branches("$or", operand)));
                case "$nor" -> clauses.add(new NoneOf(new AnyOf(branches("$nor", operand))));
                case "$expr" -> clauses.add(new Computed(Expression.compile(operand)));
                default -> clauses.add(field(entry.getKey(), operand));
            }
        }
        return clauses.size() == 1 ? clauses.getFirst() : new AllOf(clauses.toArray(Filter[]::new));
    }

    private static Filter field(String name, BsonValue condition) {
        if (name.startsWith("$")) {
            throw CommandException.badValue("unknown top level operator: " + name);
        }
        return new Field(new FieldPath(name), FieldOperators.compile(condition));
    }

    private static Filter[] branches(String operator, BsonValue operand) {
        if (!(operand instanceof BsonArray array)) {
            throw CommandException.badValue(operator + " must be an array");
        }
        if (array.isEmpty()) {
            throw CommandException.badValue("$and/$or/$nor must be a nonempty array");
        }
        return array.stream()
                .map(branch -> {
                    if (branch instanceof BsonDocument filter) {
                        return compile(filter);
                    }
                    throw CommandException.badValue("$or/$and/$nor entries need to be full objects");
                })
                .toArray(Filter[]::new);
    }

    record Field(FieldPath path, Criterion criterion) implements Filter {
        @Override
        public int locate(BsonDocument document) {
            return criterion.locate(path, document);
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared; an array is the quickest to walk
    record AllOf(Filter[] clauses) implements Filter {
        @Override
        public int locate(BsonDocument document) {
            int position = FieldPath.NO_POSITION;
            for (Filter clause : clauses) {
                int found = clause.locate(document);
                if (found == FieldPath.NOT_FOUND) {
                    return found;
                }
                position = found >= 0 ? found : position;
            }
            return position;
        }
    }

    @SuppressWarnings("ArrayRecordComponent")
    record AnyOf(Filter[] clauses) implements Filter {
        @Override
        public int locate(BsonDocument document) {
            for (Filter clause : clauses) {
                int found = clause.locate(document);
                if (found != FieldPath.NOT_FOUND) {
                    return found;
                }
            }
            return FieldPath.NOT_FOUND;
        }
    }

    record NoneOf(AnyOf clauses) implements Filter {
        @Override
        public int locate(BsonDocument document) {
            boolean any = clauses.locate(document) != FieldPath.NOT_FOUND;
            return any ? FieldPath.NOT_FOUND : FieldPath.NO_POSITION;
        }
    }

    record Computed(Expression expression) implements Filter {
        @Override
        public int locate(BsonDocument document) {
            boolean holds = Expression.isTrue(expression.evaluate(Scope.of(document)));
            return holds ? FieldPath.NO_POSITION : FieldPath.NOT_FOUND;
        }
    }
}

package dev.sluice.devmongo.aggregate;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.query.BsonOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Comparisons, and what decides between values: {@code $and}, {@code $cond}, {@code $switch}, {@code $ifNull}. */
final class LogicOperators {
    private static final int ANY_NUMBER = Integer.MAX_VALUE;

    private LogicOperators() {}

    static void addTo(Operators operators) {
        comparison(operators, "$eq", order -> order == 0);
        comparison(operators, "$ne", order -> order != 0);
        comparison(operators, "$gt", order -> order > 0);
        comparison(operators, "$gte", order -> order >= 0);
        comparison(operators, "$lt", order -> order < 0);
        comparison(operators, "$lte", order -> order <= 0);
        operators.binary("$cmp", (a, b) -> new BsonInt32(Integer.signum(compare(a, b))));
        operators.unary("$not", value -> BsonBoolean.valueOf(!Expression.isTrue(value)));
        operators.add("$and", operand -> {
            List<Expression> all = Operators.arguments("$and", operand, 0, ANY_NUMBER);
            return scope -> BsonBoolean.valueOf(all.stream().allMatch(e -> Expression.isTrue(e.evaluate(scope))));
        });
        operators.add("$or", operand -> {
            List<Expression> all = Operators.arguments("$or", operand, 0, ANY_NUMBER);
            return scope -> BsonBoolean.valueOf(all.stream().anyMatch(e -> Expression.isTrue(e.evaluate(scope))));
        });
        operators.add("$literal", operand -> scope -> operand);
        operators.add("$cond", LogicOperators::cond);
        operators.add("$ifNull", LogicOperators::ifNull);
        operators.add("$switch", LogicOperators::choose);
    }

    private static void comparison(Operators operators, String name, IntPredicate accepts) {
        operators.binary(name, (a, b) -> BsonBoolean.valueOf(accepts.test(compare(a, b))));
    }

    /** Missing sorts like undefined: below null, unequal to it. */
    private static int compare(@Nullable BsonValue a, @Nullable BsonValue b) {
        return BsonOrder.INSTANCE.compare(a == null ? new BsonUndefined() : a, b == null ? new BsonUndefined() : b);
    }

    private static Expression cond(BsonValue operand) {
        List<Expression> parts;
        if (operand instanceof BsonDocument document) {
            parts = List.of(
                    Operators.argument("$cond", document, "if"),
                    Operators.argument("$cond", document, "then"),
                    Operators.argument("$cond", document, "else"));
        } else {
            parts = Operators.arguments("$cond", operand, 3, 3);
        }
        return scope -> parts.get(Expression.isTrue(parts.getFirst().evaluate(scope)) ? 1 : 2)
                .evaluate(scope);
    }

    private static Expression ifNull(BsonValue operand) {
        List<Expression> candidates = Operators.arguments("$ifNull", operand, 2, ANY_NUMBER);
        return scope -> {
            for (Expression candidate : candidates.subList(0, candidates.size() - 1)) {
                BsonValue value = candidate.evaluate(scope);
                if (!Expression.isNothing(value)) {
                    return value;
                }
            }
            return candidates.getLast().evaluate(scope);
        };
    }

    private static Expression choose(BsonValue operand) {
        record Branch(Expression when, Expression then) {}
        BsonDocument document = Operators.document("$switch", operand);
        List<Branch> branches = new ArrayList<>();
        for (BsonValue branch : document.getArray("branches", new BsonArray())) {
            BsonDocument parts = Operators.document("$switch", branch);
            branches.add(new Branch(
                    Operators.argument("$switch", parts, "case"), Operators.argument("$switch", parts, "then")));
        }
        if (branches.isEmpty()) {
            throw CommandException.location(40068, "$switch requires at least one branch.");
        }
        Expression otherwise = document.containsKey("default")
                ? Expression.compile(document.get("default"))
                : scope -> {
                    throw CommandException.location(
                            40066,
                            "$switch could not find a matching branch for an input, and no default was specified.");
                };
        return scope -> branches.stream()
                .filter(branch -> Expression.isTrue(branch.when().evaluate(scope)))
                .findFirst()
                .map(Branch::then)
                .orElse(otherwise)
                .evaluate(scope);
    }
}

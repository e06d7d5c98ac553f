package dev.sluice.match;

import dev.sluice.model.InvalidInputException;
import dev.sluice.model.RawBson;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Compiles a filter, and refuses what it does not know or what is too big. Every level of recursion is a level of the
 * filter's nesting, which {@link FilterText} has bounded before.
 */
final class FilterParser {
    /** Conditions in one filter, counted wherever they stand. */
    static final int MAX_CONDITIONS = 500;

    private static final Filter EVERYTHING = new Filter.AllOf();

    private final FilterPool pool;
    private int conditions;

    /** @param pool where equal parts of many filters become one */
    FilterParser(FilterPool pool) {
        this.pool = pool;
    }

    Filter parse(String json) {
        return document(FilterText.toBson(json), 0);
    }

    Filter parse(RawBson bson) {
        FilterText.check(bson);
        return document(bson.array(), bson.offset());
    }

    /** A condition on a whole document: fields and logical operators, all of which must hold. */
    Filter document(byte[] bytes, int at) {
        List<Filter> clauses = new ArrayList<>();
        for (int element = at + RawValues.HEADER; bytes[element] != 0; ) {
            int type = RawValues.type(bytes, element);
            int value = RawValues.value(bytes, element);
            clauses.add(clause(name(bytes, element, value), bytes, type, value));
            element = RawValues.next(bytes, type, value);
        }
        return all(clauses);
    }

    private Filter clause(String name, byte[] bytes, int type, int value) {
        count();
        return switch (name) {
            case "$and" -> all(branches(name, bytes, type, value));
            case "$or" -> any(branches(name, bytes, type, value));
            case "$nor" -> new Filter.Not(any(branches(name, bytes, type, value)));
            default -> {
                if (name.startsWith("$")) {
                    throw unknown(name);
                }
                yield new FieldConditions(this, pool.path(name)).condition(bytes, type, value);
            }
        };
    }

    private List<Filter> branches(String operator, byte[] bytes, int type, int at) {
        if (type != RawValues.ARRAY || bytes[at + RawValues.HEADER] == 0) {
            throw new InvalidInputException(operator + " takes an array of at least one filter");
        }
        List<Filter> branches = new ArrayList<>();
        for (int element = at + RawValues.HEADER; bytes[element] != 0; ) {
            int branch = RawValues.type(bytes, element);
            int value = RawValues.value(bytes, element);
            if (branch != RawValues.DOCUMENT) {
                throw new InvalidInputException(operator + " takes an array of filters and nothing else");
            }
            count();
            branches.add(document(bytes, value));
            element = RawValues.next(bytes, branch, value);
        }
        return branches;
    }

    void count() {
        if (++conditions > MAX_CONDITIONS) {
            throw new InvalidInputException("a filter has at most " + MAX_CONDITIONS + " conditions");
        }
    }

    /** All of them, without one inside the other: {@code $and} within an and says nothing more. */
    Filter all(List<Filter> clauses) {
        List<Filter> flat = new ArrayList<>();
        for (Filter clause : clauses) {
            if (clause instanceof Filter.AllOf nested) {
                flat.addAll(List.of(nested.clauses()));
            } else {
                flat.add(pool.clause(clause));
            }
        }
        return switch (flat.size()) {
            case 0 -> EVERYTHING;
            case 1 -> flat.getFirst();
            default -> new Filter.AllOf(flat.toArray(Filter[]::new));
        };
    }

    static Filter any(List<Filter> clauses) {
        return clauses.size() == 1 ? clauses.getFirst() : new Filter.AnyOf(clauses.toArray(Filter[]::new));
    }

    static String name(byte[] bytes, int element, int value) {
        return new String(bytes, element + 1, value - element - 2, StandardCharsets.UTF_8);
    }

    static InvalidInputException unknown(String operator) {
        return new InvalidInputException(
                "a filter knows no operator " + InvalidInputException.quote(operator)
                        + "; it knows $eq $ne $gt $gte $lt $lte $in $nin $exists $all $elemMatch $size $regex $and $or $nor $not");
    }
}

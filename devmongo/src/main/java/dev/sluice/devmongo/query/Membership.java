package dev.sluice.devmongo.query;

import dev.sluice.devmongo.CommandException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonRegularExpression;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $in}: one of many values, found in a sorted set, or one of some patterns. Null also means missing. */
record Membership(TreeSet<BsonValue> values, List<RegexTest> patterns, boolean acceptsMissing) implements ValueTest {
    static Membership of(String operator, BsonValue operand) {
        if (!(operand instanceof BsonArray array)) {
            throw CommandException.badValue(operator + " needs an array");
        }
        TreeSet<BsonValue> values = new TreeSet<>(BsonOrder.INSTANCE);
        List<RegexTest> patterns = new ArrayList<>();
        for (BsonValue value : array) {
            if (value instanceof BsonRegularExpression regex) {
                patterns.add(RegexTest.of(regex));
            } else if (value instanceof BsonUndefined) {
                throw CommandException.badValue("cannot compare to undefined");
            } else if (value instanceof BsonDocument document && FieldOperators.isOperators(document)) {
                throw CommandException.badValue("cannot nest $ under " + operator);
            } else {
                values.add(value);
            }
        }
        return new Membership(values, List.copyOf(patterns), values.stream().anyMatch(Comparison::isNothing));
    }

    @Override
    public boolean test(@Nullable BsonValue value) {
        if (Comparison.isNothing(value)) {
            return acceptsMissing;
        }
        return values.contains(Objects.requireNonNull(value))
                || patterns.stream().anyMatch(pattern -> pattern.test(value));
    }
}

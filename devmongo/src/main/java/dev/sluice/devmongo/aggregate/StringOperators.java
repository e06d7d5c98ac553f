package dev.sluice.devmongo.aggregate;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.query.RegexTest;
import dev.sluice.devmongo.query.TypeNames;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonNumber;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Text, counted in code points. */
final class StringOperators {
    private StringOperators() {}

    static void addTo(Operators operators) {
        operators.listed("$concat", 0, Integer.MAX_VALUE, StringOperators::concat);
        operators.unary("$toLower", value -> new BsonString(text(value).toLowerCase(Locale.ROOT)));
        operators.unary("$toUpper", value -> new BsonString(text(value).toUpperCase(Locale.ROOT)));
        operators.unary("$strLenCP", value -> {
            String text = string("$strLenCP", value);
            return new BsonInt32(text.codePointCount(0, text.length()));
        });
        operators.listed("$substrCP", 3, 3, StringOperators::substring);
        operators.listed("$indexOfCP", 2, 4, StringOperators::indexOf);
        operators.binary("$split", StringOperators::split);
        operators.add("$trim", operand -> trim("$trim", operand, true, true));
        operators.add("$ltrim", operand -> trim("$ltrim", operand, true, false));
        operators.add("$rtrim", operand -> trim("$rtrim", operand, false, true));
        operators.add("$regexMatch", StringOperators::regexMatch);
    }

    private static BsonValue concat(List<BsonValue> values) {
        StringBuilder joined = new StringBuilder();
        for (BsonValue value : values) {
            if (Expression.isNothing(value)) {
                return BsonNull.VALUE;
            }
            if (!(value instanceof BsonString text)) {
                throw CommandException.location(16702, "$concat only supports strings, not " + TypeNames.of(value));
            }
            joined.append(text.getValue());
        }
        return new BsonString(joined.toString());
    }

    private static BsonValue substring(List<BsonValue> values) {
        String text = text(values.getFirst());
        int[] points = text.codePoints().toArray();
        int from = Math.min(whole("$substrCP", values.get(1)), points.length);
        int to =
                Math.min((int) Math.min((long) from + whole("$substrCP", values.get(2)), points.length), points.length);
        return new BsonString(new String(points, from, to - from));
    }

    private static BsonValue indexOf(List<BsonValue> values) {
        if (Expression.isNothing(values.getFirst())) {
            return BsonNull.VALUE;
        }
        String text = string("$indexOfCP", values.get(0));
        String wanted = string("$indexOfCP", values.get(1));
        int length = text.codePointCount(0, text.length());
        int from = values.size() > 2 ? whole("$indexOfCP", values.get(2)) : 0;
        int to = values.size() > 3 ? Math.min(whole("$indexOfCP", values.get(3)), length) : length;
        if (from > to) {
            return new BsonInt32(-1);
        }
        String within = text.substring(0, text.offsetByCodePoints(0, to));
        int found = within.indexOf(wanted, text.offsetByCodePoints(0, from));
        return new BsonInt32(found < 0 ? -1 : text.codePointCount(0, found));
    }

    private static BsonValue split(@Nullable BsonValue value, @Nullable BsonValue separator) {
        if (Expression.isNothing(value) || Expression.isNothing(separator)) {
            return BsonNull.VALUE;
        }
        String by = string("$split", separator);
        if (by.isEmpty()) {
            throw CommandException.location(40087, "$split requires a non-empty separator");
        }
        BsonArray parts = new BsonArray();
        for (String part : string("$split", value).split(Pattern.quote(by), -1)) {
            parts.add(new BsonString(part));
        }
        return parts;
    }

    private static Expression trim(String name, BsonValue operand, boolean left, boolean right) {
        BsonDocument parts = Operators.document(name, operand);
        Expression input = Operators.argument(name, parts, "input");
        Expression chars = parts.containsKey("chars") ? Expression.compile(parts.get("chars")) : null;
        return scope -> {
            BsonValue value = input.evaluate(scope);
            if (Expression.isNothing(value)) {
                return BsonNull.VALUE;
            }
            String text = string(name, value);
            String set = chars == null ? " \t\n\r\f\u000b\0\u00a0" : string(name, chars.evaluate(scope));
            int from = 0;
            int to = text.length();
            while (left && from < to && set.indexOf(text.charAt(from)) >= 0) {
                from++;
            }
            while (right && to > from && set.indexOf(text.charAt(to - 1)) >= 0) {
                to--;
            }
            return new BsonString(text.substring(from, to));
        };
    }

    private static Expression regexMatch(BsonValue operand) {
        BsonDocument parts = Operators.document("$regexMatch", operand);
        Expression input = Operators.argument("$regexMatch", parts, "input");
        BsonValue regex = parts.get("regex");
        String options =
                parts.containsKey("options") ? parts.getString("options").getValue() : "";
        if (regex instanceof BsonRegularExpression literal) {
            return matching(input, RegexTest.pattern(literal.getPattern(), literal.getOptions() + options));
        }
        Expression pattern = Operators.argument("$regexMatch", parts, "regex");
        return scope -> {
            BsonValue value = pattern.evaluate(scope);
            return Expression.isNothing(value)
                    ? BsonBoolean.FALSE
                    : matching(input, RegexTest.pattern(string("$regexMatch", value), options))
                            .evaluate(scope);
        };
    }

    private static Expression matching(Expression input, Pattern pattern) {
        return scope -> {
            BsonValue value = input.evaluate(scope);
            return BsonBoolean.valueOf(!Expression.isNothing(value)
                    && pattern.matcher(string("$regexMatch", value)).find());
        };
    }

    /** What an operator that is not strict about types reads: null is empty, numbers and dates are printed. */
    private static String text(@Nullable BsonValue value) {
        return value == null || Expression.isNothing(value) ? "" : ConversionOperators.print(value);
    }

    private static String string(String name, @Nullable BsonValue value) {
        if (value instanceof BsonString text) {
            return text.getValue();
        }
        throw CommandException.location(
                34471,
                name + " requires a string argument, found: " + (value == null ? "missing" : TypeNames.of(value)));
    }

    private static int whole(String name, BsonValue value) {
        if (value instanceof BsonNumber number && number.intValue() == number.doubleValue() && number.intValue() >= 0) {
            return number.intValue();
        }
        throw CommandException.location(34450, name + ": an index or length must be a non-negative integer");
    }
}

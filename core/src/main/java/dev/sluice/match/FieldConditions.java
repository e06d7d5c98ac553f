package dev.sluice.match;

import dev.sluice.model.InvalidInputException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Compiles what stands behind one field: a value, a pattern, or a document of {@code $} operators. */
final class FieldConditions {
    /** Values in one {@code $in}, {@code $nin} or {@code $all}. */
    static final int MAX_VALUES = 1000;

    private static final Set<String> REFERENCE_FIELDS = Set.of("$ref", "$id", "$db");
    private static final Set<String> LOGICAL = Set.of("$and", "$or", "$nor");

    private final FilterParser parser;
    private final FieldPath path;

    FieldConditions(FilterParser parser, FieldPath path) {
        this.parser = parser;
        this.path = path;
    }

    Filter condition(byte[] bytes, int type, int at) {
        if (type == RawValues.REGEX) {
            return startsWith(bytes, at);
        }
        return isOperators(bytes, type, at) ? operators(bytes, at) : equal(bytes, type, at);
    }

    private static boolean isOperators(byte[] bytes, int type, int at) {
        int first = at + RawValues.HEADER;
        return type == RawValues.DOCUMENT
                && bytes[first] != 0
                && bytes[first + 1] == '$'
                && !REFERENCE_FIELDS.contains(FilterParser.name(bytes, first, RawValues.value(bytes, first)));
    }

    private Filter operators(byte[] bytes, int at) {
        List<Filter> all = new ArrayList<>();
        String options = options(bytes, at);
        for (int element = at + RawValues.HEADER; bytes[element] != 0; ) {
            int type = RawValues.type(bytes, element);
            int value = RawValues.value(bytes, element);
            String name = FilterParser.name(bytes, element, value);
            parser.count();
            if (name.equals("$regex")) {
                all.add(regex(bytes, type, value, options));
            } else if (!name.equals("$options")) {
                all.add(operator(name, bytes, type, value));
            }
            element = RawValues.next(bytes, type, value);
        }
        return parser.all(all);
    }

    private Filter operator(String name, byte[] bytes, int type, int at) {
        return switch (name) {
            case "$eq" -> equal(bytes, type, at);
            case "$ne" -> new Filter.Not(compare(Comparison.EQ, name, bytes, type, at));
            case "$gt" -> compare(Comparison.GT, name, bytes, type, at);
            case "$gte" -> compare(Comparison.GTE, name, bytes, type, at);
            case "$lt" -> compare(Comparison.LT, name, bytes, type, at);
            case "$lte" -> compare(Comparison.LTE, name, bytes, type, at);
            case "$in" -> in(name, bytes, type, at);
            case "$nin" -> new Filter.Not(in(name, bytes, type, at));
            case "$exists" -> isTrue(bytes, type, at) ? exists() : new Filter.Not(exists());
            case "$all" -> all(bytes, type, at);
            case "$elemMatch" -> elemMatch(bytes, type, at);
            case "$size" -> size(bytes, type, at);
            case "$not" -> not(bytes, type, at);
            default -> throw FilterParser.unknown(name);
        };
    }

    private Filter equal(byte[] bytes, int type, int at) {
        return new Filter.Compare(path, Comparison.EQ, Operand.of(bytes, type, at));
    }

    private Filter compare(Comparison comparison, String name, byte[] bytes, int type, int at) {
        if (type == RawValues.REGEX) {
            throw new InvalidInputException(name + " takes no regular expression");
        }
        return new Filter.Compare(path, comparison, Operand.of(bytes, type, at));
    }

    private Filter exists() {
        return new Filter.Exists(path);
    }

    private Filter in(String name, byte[] bytes, int type, int at) {
        List<byte[]> values = new ArrayList<>();
        List<Filter> any = new ArrayList<>();
        for (Element element : elements(name, bytes, type, at)) {
            if (element.type() == RawValues.REGEX) {
                parser.count();
                any.add(startsWith(bytes, element.at()));
            } else if (isOperators(bytes, element.type(), element.at())) {
                throw new InvalidInputException(name + " takes values, no operators");
            } else {
                values.add(Operand.of(bytes, element.type(), element.at()));
            }
        }
        any.add(new Filter.OneOf(path, ValueSet.of(values)));
        return FilterParser.any(any);
    }

    private Filter all(byte[] bytes, int type, int at) {
        List<Filter> all = new ArrayList<>();
        for (Element element : elements("$all", bytes, type, at)) {
            if (isOperators(bytes, element.type(), element.at())
                    && !firstName(bytes, element.at()).equals("$elemMatch")) {
                throw new InvalidInputException("$all takes values and $elemMatch, no other operators");
            }
            parser.count();
            all.add(condition(bytes, element.type(), element.at()));
        }
        return all.isEmpty() ? new Filter.AnyOf() : parser.all(all);
    }

    /** Operators apply to each element as it stands; a filter applies to the fields of elements that are documents. */
    private Filter elemMatch(byte[] bytes, int type, int at) {
        if (type != RawValues.DOCUMENT) {
            throw new InvalidInputException("$elemMatch takes a filter or a document of operators");
        }
        if (isOperators(bytes, type, at) && !LOGICAL.contains(firstName(bytes, at))) {
            Filter ofValue = new FieldConditions(parser, FieldPath.SELF).operators(bytes, at);
            return new Filter.AnyElement(path, ofValue, false);
        }
        return new Filter.AnyElement(path, parser.document(bytes, at), true);
    }

    private Filter size(byte[] bytes, int type, int at) {
        double size = RawNumbers.isNumber(type) ? RawNumbers.rounded(bytes, type, at) : -1;
        if (size != (int) size || size < 0) {
            throw new InvalidInputException("$size takes a whole number that is not negative");
        }
        return new Filter.HasSize(path, (int) size);
    }

    private Filter not(byte[] bytes, int type, int at) {
        if (type == RawValues.REGEX) {
            return new Filter.Not(startsWith(bytes, at));
        }
        if (!isOperators(bytes, type, at)) {
            throw new InvalidInputException("$not takes a document of operators, or a regular expression");
        }
        return new Filter.Not(operators(bytes, at));
    }

    private Filter regex(byte[] bytes, int type, int at, String options) {
        if (type == RawValues.REGEX && options.isEmpty()) {
            return startsWith(bytes, at);
        }
        if (type != RawValues.STRING) {
            throw new InvalidInputException("$regex takes a text such as \"^abc\"");
        }
        return new Filter.StartsWith(path, PrefixPattern.of(text(bytes, at), options));
    }

    private Filter startsWith(byte[] bytes, int at) {
        int options = RawValues.afterText(bytes, at);
        String pattern = new String(bytes, at, options - at - 1, StandardCharsets.UTF_8);
        int end = RawValues.afterText(bytes, options);
        String letters = new String(bytes, options, end - options - 1, StandardCharsets.UTF_8);
        return new Filter.StartsWith(path, PrefixPattern.of(pattern, letters));
    }

    private static String options(byte[] bytes, int at) {
        String options = "";
        boolean regex = false;
        boolean given = false;
        for (int element = at + RawValues.HEADER; bytes[element] != 0; ) {
            int type = RawValues.type(bytes, element);
            int value = RawValues.value(bytes, element);
            String name = FilterParser.name(bytes, element, value);
            regex |= name.equals("$regex");
            if (name.equals("$options")) {
                given = true;
                options = type == RawValues.STRING ? text(bytes, value) : "?";
            }
            element = RawValues.next(bytes, type, value);
        }
        if (given && !regex) {
            throw new InvalidInputException("$options needs a $regex beside it");
        }
        return options;
    }

    /** What MongoDB takes for true where it wants a flag. */
    private static boolean isTrue(byte[] bytes, int type, int at) {
        if (RawNumbers.isNumber(type)) {
            return RawNumbers.rounded(bytes, type, at) != 0;
        }
        return type == RawValues.BOOLEAN ? bytes[at] != 0 : !RawValues.isNothing(type);
    }

    private record Element(int type, int at) {}

    private static List<Element> elements(String operator, byte[] bytes, int type, int at) {
        if (type != RawValues.ARRAY) {
            throw new InvalidInputException(operator + " takes an array");
        }
        List<Element> elements = new ArrayList<>();
        for (int element = at + RawValues.HEADER; bytes[element] != 0; ) {
            int elementType = RawValues.type(bytes, element);
            int value = RawValues.value(bytes, element);
            elements.add(new Element(elementType, value));
            if (elements.size() > MAX_VALUES) {
                throw new InvalidInputException(operator + " takes at most " + MAX_VALUES + " values");
            }
            element = RawValues.next(bytes, elementType, value);
        }
        return elements;
    }

    private static String firstName(byte[] bytes, int document) {
        int first = document + RawValues.HEADER;
        return FilterParser.name(bytes, first, RawValues.value(bytes, first));
    }

    private static String text(byte[] bytes, int at) {
        return new String(bytes, at + 4, RawValues.textLength(bytes, at), StandardCharsets.UTF_8);
    }
}

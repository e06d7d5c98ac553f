package dev.sluice.testkit.contract;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Filters as somebody writes them who means no good, or does not know better: most are wrong, some are valid by chance.
 * The same seed gives the same filters.
 */
public final class HostileFilters {
    private static final List<String> OPERATORS = List.of(
            "$eq",
            "$ne",
            "$gt",
            "$gte",
            "$lt",
            "$lte",
            "$in",
            "$nin",
            "$exists",
            "$all",
            "$elemMatch",
            "$size",
            "$regex",
            "$and",
            "$or",
            "$nor",
            "$not",
            "$where",
            "$expr",
            "$options",
            "$text",
            "$",
            "$$",
            "$ref");
    private static final List<String> VALUES = List.of(
            "1",
            "-0",
            "1e400",
            "NaN",
            "null",
            "true",
            "\"\"",
            "\"\\u0000\"",
            "\"\\ud800\"",
            "[]",
            "{}",
            "[[]]",
            "[null]",
            "[1,\"a\",{}]",
            "{\"$numberLong\":\"x\"}",
            "{\"$numberDecimal\":\"1E9999\"}",
            "{\"$date\":\"never\"}",
            "{\"$oid\":\"zz\"}",
            "{\"$oid\":\"5f5f5f5f5f5f5f5f5f5f5f5f\"}",
            "{\"$minKey\":1}",
            "{\"$undefined\":true}",
            "{\"$timestamp\":{\"t\":1,\"i\":1}}",
            "{\"$binary\":{\"base64\":\"AA==\",\"subType\":\"00\"}}",
            "{\"$regularExpression\":{\"pattern\":\"a\",\"options\":\"i\"}}",
            "9223372036854775808",
            "ObjectId(\"1\")",
            "/a/i",
            "'single'",
            "undefined",
            "function(){}");
    private static final List<String> PATTERNS = List.of(
            "a",
            "^(a+)+$",
            ".*",
            "^a.*b",
            "^\\\\d",
            "(?i)^a",
            "^a|b",
            "^[a-z]",
            "",
            "^",
            "^abc",
            "^a\\\\.b",
            "\\\\",
            "^a\\\\");
    private static final List<String> PATHS =
            List.of("a", "a.b", "a..b", ".", "", "$a", "a.$b", "a.0", "_id", "\\u0000", "a.b.c.d.e.f", " ");

    private final SplittableRandom random;

    public HostileFilters(long seed) {
        random = new SplittableRandom(seed);
    }

    public String next() {
        return switch (random.nextInt(12)) {
            case 0 -> noise(random.nextInt(80));
            case 1 -> mutated(condition(2));
            case 2 -> nested(1 + random.nextInt(random.nextInt(100) == 0 ? 20_000 : 60));
            case 3 -> manyValues(random.nextInt(random.nextInt(100) == 0 ? 20_000 : 30));
            case 4 ->
                "{\"a\":{\"$regex\":\"" + any(PATTERNS) + "\"" + (random.nextBoolean() ? ",\"$options\":\"i\"" : "")
                        + "}}";
            case 5 -> "{\"" + any(PATHS) + "\":{\"" + any(OPERATORS) + "\":" + any(VALUES) + "}}";
            case 6 -> "{\"" + any(OPERATORS) + "\":" + any(VALUES) + "}";
            case 7 -> "{\"" + any(OPERATORS) + "\":[" + condition(1) + "," + any(VALUES) + "]}";
            case 8 -> manyConditions(random.nextInt(random.nextInt(100) == 0 ? 3_000 : 30));
            case 9 -> "{\"a\":\"" + "x".repeat(random.nextInt(random.nextInt(100) == 0 ? 200_000 : 100)) + "\"}";
            case 10 -> cut(condition(3));
            default -> condition(3);
        };
    }

    private <T> T any(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private String condition(int depth) {
        if (depth == 0) {
            return "{\"" + any(PATHS) + "\":" + any(VALUES) + "}";
        }
        String inner = condition(depth - 1);
        return switch (random.nextInt(5)) {
            case 0 -> "{\"$and\":[" + inner + "]}";
            case 1 -> "{\"$or\":[" + inner + "," + condition(depth - 1) + "]}";
            case 2 -> "{\"a\":{\"$elemMatch\":" + inner + "}}";
            case 3 -> "{\"a\":{\"$not\":" + inner + "}}";
            default ->
                "{\"a\":{\"" + any(OPERATORS) + "\":" + any(VALUES) + ",\"" + any(OPERATORS) + "\":" + any(VALUES)
                        + "}}";
        };
    }

    private String nested(int depth) {
        String open = any(List.of(
                "{\"$and\":[", "{\"a\":{\"$not\":", "{\"a\":", "[", "{\"a\":{\"$elemMatch\":", "{\"$nor\":[{},"));
        long braces = open.chars().filter(c -> c == '{').count()
                - open.chars().filter(c -> c == '}').count();
        String close = (open.endsWith("[") || open.endsWith(",") ? "]" : "") + "}".repeat((int) braces);
        return open.repeat(depth) + (random.nextBoolean() ? "{}" : "1") + close.repeat(depth);
    }

    private String manyValues(int count) {
        String values = IntStream.range(0, count).mapToObj(Integer::toString).collect(Collectors.joining(","));
        return "{\"a\":{\"" + any(List.of("$in", "$nin", "$all")) + "\":[" + values + "]}}";
    }

    private String manyConditions(int count) {
        String conditions = IntStream.range(0, count)
                .mapToObj(k -> "{\"f" + k + "\":{\"$gt\":" + k + "}}")
                .collect(Collectors.joining(","));
        return "{\"" + any(List.of("$or", "$and", "$nor")) + "\":[" + conditions + "]}";
    }

    private String mutated(String filter) {
        StringBuilder text = new StringBuilder(filter);
        for (int k = random.nextInt(1, 5); k > 0 && !text.isEmpty(); k--) {
            int at = random.nextInt(text.length());
            if (random.nextBoolean()) {
                text.deleteCharAt(at);
            } else {
                text.insert(at, noise(1));
            }
        }
        return text.toString();
    }

    private String cut(String filter) {
        return filter.substring(0, random.nextInt(filter.length()));
    }

    /** Characters of all kinds, JSON's own more often than others; never half a surrogate pair. */
    private String noise(int length) {
        StringBuilder text = new StringBuilder();
        String json = "{}[]\",:$.\\'0123456789eE-+tfn ";
        for (int k = 0; k < length; k++) {
            text.append(
                    random.nextInt(3) == 0
                            ? (char) random.nextInt(0xD800)
                            : json.charAt(random.nextInt(json.length())));
        }
        return text.toString();
    }
}

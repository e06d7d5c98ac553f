package dev.sluice.match;

import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Random documents and filters as JSON: few names and values, so that they often meet; most filters can be indexed. */
final class RandomQueries {
    private static final List<String> SCALARS = List.of(
            "0",
            "1",
            "2",
            "3",
            "-7",
            "1.0",
            "2.5",
            "{\"$numberLong\":\"1\"}",
            "{\"$numberLong\":\"3\"}",
            "{\"$numberLong\":\"9223372036854775807\"}",
            "9223372036854775807.0",
            "{\"$numberDecimal\":\"1\"}",
            "{\"$numberDecimal\":\"2.50\"}",
            "{\"$numberDecimal\":\"3E+0\"}",
            "{\"$numberDecimal\":\"9223372036854775808\"}",
            "{\"$numberDecimal\":\"NaN\"}",
            "{\"$numberDouble\":\"NaN\"}",
            "{\"$numberDouble\":\"-0.0\"}",
            "{\"$numberDouble\":\"Infinity\"}",
            "{\"$numberDecimal\":\"Infinity\"}",
            "\"\"",
            "\"x\"",
            "\"xy\"",
            "\"xyz\"",
            "\"y\"",
            "\"ü\"",
            "{\"$symbol\":\"xy\"}",
            "null",
            "{\"$undefined\":true}",
            "true",
            "false",
            "{\"$date\":{\"$numberLong\":\"1\"}}",
            "{\"$date\":{\"$numberLong\":\"3\"}}",
            "{\"$oid\":\"000000000000000000000001\"}",
            "{\"$oid\":\"f00000000000000000000002\"}",
            "{\"$timestamp\":{\"t\":1,\"i\":1}}",
            "{\"$binary\":{\"base64\":\"AQ==\",\"subType\":\"00\"}}",
            "{\"$regularExpression\":{\"pattern\":\"^x\",\"options\":\"\"}}",
            "{\"$minKey\":1}",
            "{\"$maxKey\":1}");
    private static final List<String> PATHS =
            List.of("a", "b", "c", "a", "b", "c", "a.b", "b.a", "a.b.c", "a.0", "a.1", "a.0.b", "b.1.a", "c.0.0", "0");
    private static final List<String> ORDERED = List.of("$gt", "$gte", "$lt", "$lte");

    private final Random random;

    RandomQueries(Random random) {
        this.random = random;
    }

    String document() {
        return object(3);
    }

    private String object(int depth) {
        return List.of("a", "b", "c").stream()
                .filter(name -> random.nextInt(10) < 7)
                .map(name -> "\"" + name + "\":" + value(depth - 1))
                .collect(Collectors.joining(",", "{", "}"));
    }

    private String value(int depth) {
        return switch (depth <= 0 ? 0 : random.nextInt(7)) {
            case 1 -> object(depth);
            case 2, 3 -> list(random.nextInt(4), () -> value(depth - 1));
            default -> pick(SCALARS);
        };
    }

    /** Of a scalar, an operand may not be undefined. */
    private String operand(int depth) {
        String value = value(depth);
        return value.contains("$undefined") ? "1" : value;
    }

    String filter() {
        return filter(2);
    }

    private String filter(int depth) {
        return switch (random.nextInt(depth <= 0 ? 3 : 12)) {
            case 0 -> "{" + field(depth) + "," + field(depth) + "}";
            case 3 -> "{" + logical("$or", depth) + "}";
            case 4 -> "{" + field(depth) + "," + logical("$or", depth) + "}";
            case 5 -> "{" + logical("$and", depth) + "}";
            case 6 -> "{" + field(depth) + "," + logical("$nor", depth) + "}";
            default -> "{" + field(depth) + "}";
        };
    }

    private String logical(String operator, int depth) {
        return "\"" + operator + "\":" + list(1 + random.nextInt(3), () -> filter(depth - 1));
    }

    private String field(int depth) {
        String condition = random.nextInt(3) == 0 ? equality() : operators(depth);
        return "\"" + pick(PATHS) + "\":" + condition;
    }

    private String equality() {
        return operand(1 + random.nextInt(2));
    }

    private String operators(int depth) {
        return "{" + operator(depth) + (random.nextInt(5) == 0 ? "," + ordered() : "") + "}";
    }

    private String ordered() {
        return "\"" + pick(ORDERED) + "\":" + comparable();
    }

    private String comparable() {
        String operand = operand(1);
        return operand.contains("$regular") ? "2" : operand;
    }

    private String operator(int depth) {
        return switch (random.nextInt(depth <= 0 ? 12 : 15)) {
            case 0, 1 -> "\"$eq\":" + operand(2);
            case 2 -> "\"$ne\":" + comparable();
            case 3, 4 -> ordered();
            case 5 -> "\"$gte\":" + comparable() + ",\"$lt\":" + comparable();
            case 6, 7 -> "\"$in\":" + list(random.nextInt(5), () -> operand(1));
            case 8 -> "\"$nin\":" + list(random.nextInt(4), () -> operand(1));
            case 9 -> "\"$exists\":" + random.nextBoolean();
            case 10 -> "\"$size\":" + random.nextInt(4);
            case 11 -> "\"$regex\":\"^" + pick(List.of("", "x", "xy", "ü")) + "\"";
            case 12 -> "\"$all\":" + list(random.nextInt(3), () -> operand(0));
            case 13 -> "\"$not\":" + operators(depth - 1);
            default -> "\"$elemMatch\":" + (random.nextBoolean() ? operators(depth - 1) : filter(depth - 1));
        };
    }

    private static String list(int size, Supplier<String> element) {
        return IntStream.range(0, size).mapToObj(k -> element.get()).collect(Collectors.joining(",", "[", "]"));
    }

    private String pick(List<String> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}

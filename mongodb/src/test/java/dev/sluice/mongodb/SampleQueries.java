package dev.sluice.mongodb;

import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Random documents and filters as JSON, small in names and values so that they often meet. */
final class SampleQueries {
    private static final List<String> SCALARS = List.of(
            "0",
            "1",
            "2",
            "-1",
            "1.0",
            "1.5",
            "{\"$numberLong\":\"1\"}",
            "{\"$numberLong\":\"9007199254740993\"}",
            "9007199254740992.0",
            "{\"$numberDecimal\":\"1\"}",
            "{\"$numberDecimal\":\"1.50\"}",
            "{\"$numberDecimal\":\"0.1\"}",
            "0.1",
            "{\"$numberDouble\":\"NaN\"}",
            "{\"$numberDouble\":\"-0.0\"}",
            "{\"$numberDouble\":\"Infinity\"}",
            "\"\"",
            "\"x\"",
            "\"xy\"",
            "\"xyz\"",
            "\"é\"",
            "null",
            "true",
            "false",
            "{\"$date\":{\"$numberLong\":\"5\"}}",
            "{\"$date\":{\"$numberLong\":\"7\"}}",
            "{\"$oid\":\"0123456789abcdef01234567\"}",
            "{\"$oid\":\"f123456789abcdef01234567\"}",
            "{\"$timestamp\":{\"t\":1,\"i\":2}}",
            "{\"$binary\":{\"base64\":\"AQI=\",\"subType\":\"00\"}}",
            "{\"$minKey\":1}",
            "{\"$maxKey\":1}");
    private static final List<String> PATHS =
            List.of("a", "b", "c", "a.b", "b.a", "a.b.c", "a.0", "a.1", "a.0.b", "b.1.a", "c.0.0", "a.b.0");
    private static final List<String> ORDERED = List.of("$gt", "$gte", "$lt", "$lte");

    private final Random random;

    SampleQueries(long seed) {
        random = new Random(seed);
    }

    String document() {
        return object(3, this::scalar);
    }

    private String object(int depth, Supplier<String> leaves) {
        return List.of("a", "b", "c").stream()
                .filter(name -> random.nextInt(10) < 6)
                .map(name -> "\"" + name + "\":" + value(depth - 1, leaves))
                .collect(Collectors.joining(",", "{", "}"));
    }

    private String value(int depth, Supplier<String> leaves) {
        return switch (depth <= 0 ? 0 : random.nextInt(6)) {
            case 1 -> object(depth, leaves);
            case 2, 3 -> list(random.nextInt(4), () -> value(depth - 1, leaves));
            default -> leaves.get();
        };
    }

    private String scalar() {
        return pick(SCALARS);
    }

    String filter() {
        return filter(2);
    }

    private String filter(int depth) {
        return switch (depth <= 0 ? 0 : random.nextInt(6)) {
            case 1 -> "{" + logical(depth) + "}";
            case 2 -> "{" + field(depth) + "," + logical(depth) + "}";
            default -> "{" + field(depth) + "}";
        };
    }

    private String logical(int depth) {
        return "\"" + pick(List.of("$and", "$or", "$nor")) + "\":"
                + list(1 + random.nextInt(3), () -> filter(depth - 1));
    }

    private String field(int depth) {
        String condition = random.nextInt(4) == 0 ? value(2, this::scalar) : operators(depth);
        return "\"" + pick(PATHS) + "\":" + condition;
    }

    private String operators(int depth) {
        return random.nextInt(4) == 0 ? "{" + operator(depth) + "," + ordered() + "}" : "{" + operator(depth) + "}";
    }

    private String ordered() {
        return "\"" + pick(ORDERED) + "\":" + value(1, this::scalar);
    }

    private String operator(int depth) {
        return switch (random.nextInt(depth <= 0 ? 9 : 12)) {
            case 0 -> "\"$eq\":" + value(2, this::scalar);
            case 1 -> "\"$ne\":" + value(2, this::scalar);
            case 2, 3 -> ordered();
            case 4 -> "\"$in\":" + list(random.nextInt(4), () -> value(1, this::scalar));
            case 5 -> "\"$nin\":" + list(random.nextInt(4), () -> value(1, this::scalar));
            case 6 -> "\"$exists\":" + random.nextBoolean();
            case 7 -> "\"$size\":" + random.nextInt(4);
            case 8 -> "\"$regex\":\"^" + pick(List.of("", "x", "xy", "é")) + "\"";
            case 9 -> "\"$all\":" + list(random.nextInt(3), this::scalar);
            case 10 -> "\"$not\":" + operators(depth - 1);
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

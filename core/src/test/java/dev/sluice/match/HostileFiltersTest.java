package dev.sluice.match;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.InvalidInputException;
import dev.sluice.model.RawBson;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever a stranger sends as a filter is understood or refused in one sentence; nothing else is ever thrown. */
class HostileFiltersTest {
    private static final int FUZZED = 100_000;
    /** A quarter of what a thread usually gets: a recursion that is not bounded shows here first. */
    private static final long SMALL_STACK = 256 * 1024;

    @Test
    void aHundredThousandDamagedFiltersAreUnderstoodOrRefused() throws Exception {
        Random random = new Random(7);
        RandomQueries queries = new RandomQueries(random);
        RawBson document = RawBson.of(BsonDocument.parse(queries.document()));
        int[] refused = new int[1];
        onSmallStack(() -> {
            for (int k = 0; k < FUZZED; k++) {
                String text = damage(random, queries.filter());
                refused[0] += refuses(text, () -> Filter.parse(text).matches(document)) ? 1 : 0;
            }
        });
        assertThat(refused[0]).as("damaged enough").isBetween(FUZZED / 4, FUZZED - 1);
    }

    @Test
    void damagedBsonIsUnderstoodOrRefused() throws Exception {
        Random random = new Random(8);
        RandomQueries queries = new RandomQueries(random);
        RawBson document = RawBson.of(BsonDocument.parse(queries.document()));
        onSmallStack(() -> {
            for (int k = 0; k < FUZZED / 4; k++) {
                byte[] bytes = damaged(random, queries.filter());
                refuses(
                        Arrays.toString(bytes),
                        () -> Filter.parse(RawBson.of(bytes)).matches(document));
            }
        });
    }

    @Test
    void damagedDocumentsAreAnsweredOrRefused() {
        Random random = new Random(9);
        RandomQueries queries = new RandomQueries(random);
        for (int k = 0; k < FUZZED / 4; k++) {
            Filter filter = Filter.parse(queries.filter());
            byte[] bytes = damaged(random, queries.document());
            refuses(Arrays.toString(bytes), () -> filter.matches(RawBson.of(bytes)));
        }
    }

    @Test
    void deepNestingIsRefusedBeforeItIsFollowed() throws Exception {
        int depth = 15_000;
        String arrays = "{\"a\":" + "[".repeat(depth) + "]".repeat(depth) + "}";
        String logical = "{\"$and\":[".repeat(5_000) + "{}" + "]}".repeat(5_000);
        String negated = "{\"a\":" + "{\"$not\":".repeat(5_000) + "{\"$gt\":1}" + "}".repeat(5_000) + "}";
        onSmallStack(() -> {
            for (String text : new String[] {arrays, logical, negated, "{\"a\":".repeat(12_000), "[".repeat(60_000)}) {
                assertThat(refuses(text, () -> Filter.parse(text))).isTrue();
            }
            assertThatThrownBy(() -> Filter.parse(arrays)).hasMessageContaining("at most 32 levels");
        });
    }

    @Test
    void deepBsonIsRefusedToo() throws Exception {
        BsonValue nested = new BsonInt32(1);
        for (int k = 0; k < 100; k++) {
            nested = new BsonArray(java.util.List.of(nested));
        }
        RawBson bson = RawBson.of(new BsonDocument("a", nested));
        assertThatThrownBy(() -> Filter.parse(bson)).hasMessageContaining("at most 32 levels");
    }

    @Test
    void aDocumentNestedDeeplyIsComparedWithoutFollowingIt() throws Exception {
        BsonValue nested = new BsonInt32(1);
        for (int k = 0; k < 120; k++) {
            nested = k % 2 == 0 ? new BsonArray(java.util.List.of(nested)) : new BsonDocument("a", nested);
        }
        RawBson document = RawBson.of(new BsonDocument("a", nested));
        onSmallStack(() -> {
            assertThat(Filter.parse("{\"a\":{\"a\":[[1]]}}").matches(document)).isFalse();
            assertThat(Filter.parse("{\"a.a.a.a.a.a\":{\"$exists\":true}}").matches(document))
                    .isTrue();
        });
    }

    @Test
    void tooMuchOfAnythingIsRefused() {
        String values = IntStream.rangeClosed(0, FieldConditions.MAX_VALUES)
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(",", "[", "]"));
        refused("{\"a\":{\"$in\":" + values + "}}", "$in takes at most 1000 values");
        refused("{\"a\":{\"$nin\":" + values + "}}", "$nin takes at most 1000 values");
        String branches = IntStream.rangeClosed(0, FilterParser.MAX_CONDITIONS)
                .mapToObj(k -> "{}")
                .collect(Collectors.joining(",", "[", "]"));
        refused("{\"$or\":" + branches + "}", "at most 500 conditions");
        refused("{\"a\":\"" + "x".repeat(70_000) + "\"}", "at most 65536 characters");
        refused("{\"" + "a.".repeat(40) + "b\":1}", "at most 32 components");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"a\":{\"$where\":\"1\"}} | no operator \"$where\"",
                "{\"$where\":\"1\"} | no operator \"$where\"",
                "{\"$expr\":{}} | no operator \"$expr\"",
                "{\"a\":{\"$gt\":1,\"b\":2}} | no operator \"b\"",
                "{\"a\":{\"$regex\":\"abc\"}} | anchored prefix",
                "{\"a\":{\"$regex\":\"^a.*\"}} | anchored prefix",
                "{\"a\":{\"$regex\":\"^(a+)+$\"}} | anchored prefix",
                "{\"a\":{\"$regex\":\"^\\\\d\"}} | anchored prefix",
                "{\"a\":{\"$regex\":\"^a\",\"$options\":\"i\"}} | takes no options",
                "{\"a\":{\"$options\":\"i\"}} | $options needs a $regex",
                "{\"a\":{\"$regex\":5}} | $regex takes a text",
                "{\"a\":{\"$in\":5}} | $in takes an array",
                "{\"a\":{\"$in\":[{\"$gt\":1}]}} | $in takes values",
                "{\"a\":{\"$all\":[{\"$gt\":1}]}} | $all takes values",
                "{\"a\":{\"$size\":-1}} | $size takes a whole number",
                "{\"a\":{\"$size\":1.5}} | $size takes a whole number",
                "{\"a\":{\"$not\":5}} | $not takes",
                "{\"a\":{\"$elemMatch\":5}} | $elemMatch takes",
                "{\"$or\":[]} | at least one filter",
                "{\"$or\":{}} | at least one filter",
                "{\"$and\":[5]} | filters and nothing else",
                "{\"a\":{\"$gt\":{\"$undefined\":true}}} | cannot compare with undefined",
                "{} {} | text follows behind its end",
                "[1] | not one JSON document",
                "5 | not one JSON document",
                "`` | not one JSON document",
                "{\"a\":1 | not one JSON document",
            })
    void theReasonIsSaid(String filter, String reason) {
        refused(filter, reason);
    }

    private static void refused(String filter, String reason) {
        assertThatThrownBy(() -> Filter.parse(filter))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining(reason)
                .hasMessageNotContaining("\n");
    }

    private static boolean refuses(String what, Runnable attempt) {
        try {
            attempt.run();
            return false;
        } catch (InvalidInputException e) {
            assertThat(e.getMessage()).as(what).isNotBlank().hasSizeLessThan(300);
            return true;
        } catch (RuntimeException | StackOverflowError e) {
            throw new AssertionError("not refused but " + e + ": " + what, e);
        }
    }

    private static String damage(Random random, String json) {
        StringBuilder text = new StringBuilder(json);
        for (int k = random.nextInt(3); k >= 0; k--) {
            int at = random.nextInt(text.length());
            int end = Math.min(text.length(), at + random.nextInt(12));
            switch (random.nextInt(6)) {
                case 0 -> text.setCharAt(at, "{}[]:,\"'$\\/^-e.0 \u0000\ud800".charAt(random.nextInt(19)));
                case 1 -> text.insert(at, text.substring(at, end));
                case 2 -> text.insert(at, (char) random.nextInt(0x300));
                case 3 -> text.insert(at, text.substring(at, end).repeat(random.nextInt(60)));
                case 4 -> text.replace(at, end, "{\"$not\":" + text.substring(at, end) + "}");
                default -> text.replace(at, end, "$where");
            }
        }
        return text.toString();
    }

    private static byte[] damaged(Random random, String json) {
        byte[] bytes = RawBson.of(BsonDocument.parse(json)).toBytes();
        for (int k = random.nextInt(3); k >= 0; k--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        return bytes;
    }

    private static void onSmallStack(Runnable work) throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread thread = new Thread(null, work, "small-stack", SMALL_STACK);
        thread.setUncaughtExceptionHandler((dead, e) -> failure.set(e));
        thread.start();
        thread.join();
        if (failure.get() != null) {
            throw new AssertionError(failure.get());
        }
    }
}

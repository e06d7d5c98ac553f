package dev.sluice.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.bson.BsonDocument;
import org.bson.BsonSerializationException;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;

class BsonJsonTest {
    /** A quarter of what a thread usually gets: recursion that needs more shows here. */
    private static final long SMALL_STACK = 256 * 1024;

    private static final byte[] EMPTY = {5, 0, 0, 0, 0};
    private static final byte[] CODE_WITH_SCOPE = {15, 0, 0, 0, 2, 0, 0, 0, 'f', 0, 5, 0, 0, 0, 0};

    @Test
    void itIsWhatConsumersWereAlwaysSent() {
        BsonDocument document = BsonDocument.parse("""
                {"_id": {"$oid": "5f000000000000000000a001"}, "text": "a\\"b\\\\c\\n\\u0001", "emoji": "é😀\\u2028",
                 "int": -7, "long": {"$numberLong": "-9223372036854775808"}, "double": 19.90, "whole": 3.0,
                 "large": 1e21, "small": 1e-7, "nan": {"$numberDouble": "NaN"}, "yes": true, "no": false, "null": null,
                 "date": {"$date": "2024-02-29T23:59:59.120Z"}, "midnight": {"$date": "2024-01-01T00:00:00Z"},
                 "before": {"$date": {"$numberLong": "-1"}}, "at": {"$timestamp": {"t": 4294967295, "i": 1}},
                 "bytes": {"$binary": {"base64": "AQID", "subType": "80"}}, "decimal": {"$numberDecimal": "1.50"},
                 "pattern": {"$regularExpression": {"pattern": "^a/", "options": "xi"}}, "code": {"$code": "f()"},
                 "scoped": {"$code": "f()", "$scope": {"x": 1}}, "symbol": {"$symbol": "s"},
                 "undefined": {"$undefined": true}, "least": {"$minKey": 1}, "most": {"$maxKey": 1},
                 "empty": {}, "list": [], "nested": [{"a": [1, "b", null]}, {}]}""");
        assertThat(json(document))
                .isEqualTo("{\"_id\": {\"$oid\": \"5f000000000000000000a001\"}, "
                        + "\"text\": \"a\\\"b\\\\c\\n\\u0001\", \"emoji\": \"é\\ud83d\\ude00\\u2028\", "
                        + "\"int\": -7, \"long\": -9223372036854775808, \"double\": 19.9, \"whole\": 3.0, "
                        + "\"large\": 1.0E+21, \"small\": 1.0E-7, \"nan\": {\"$numberDouble\": \"NaN\"}, "
                        + "\"yes\": true, \"no\": false, \"null\": null, "
                        + "\"date\": {\"$date\": \"2024-02-29T23:59:59.12Z\"}, "
                        + "\"midnight\": {\"$date\": \"2024-01-01T00:00:00Z\"}, "
                        + "\"before\": {\"$date\": {\"$numberLong\": \"-1\"}}, "
                        + "\"at\": {\"$timestamp\": {\"t\": 4294967295, \"i\": 1}}, "
                        + "\"bytes\": {\"$binary\": {\"base64\": \"AQID\", \"subType\": \"80\"}}, "
                        + "\"decimal\": {\"$numberDecimal\": \"1.50\"}, "
                        + "\"pattern\": {\"$regularExpression\": {\"pattern\": \"^a/\", \"options\": \"ix\"}}, "
                        + "\"code\": {\"$code\": \"f()\"}, \"scoped\": {\"$code\": \"f()\", \"$scope\": {\"x\": 1}}, "
                        + "\"symbol\": {\"$symbol\": \"s\"}, \"undefined\": {\"$undefined\": true}, "
                        + "\"least\": {\"$minKey\": 1}, \"most\": {\"$maxKey\": 1}, "
                        + "\"empty\": {}, \"list\": [], \"nested\": [{\"a\": [1, \"b\", null]}, {}]}");
    }

    @Test
    void everyCharacterIsWrittenAsTheDriverWritesIt() {
        StringBuilder all = new StringBuilder();
        for (int point = 0; point <= Character.MAX_CODE_POINT; point += point < 0x1_2000 ? 1 : 61) {
            if (point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE) {
                all.appendCodePoint(point);
            }
        }
        BsonDocument document = new BsonDocument("all", new BsonString(all.toString()));
        assertThat(json(document)).isEqualTo(driversJson(document));
    }

    @Test
    void everyMalformedCharacterIsWrittenAsTheDriverWritesIt() {
        byte[] bson = DriverJson.bson(new BsonDocument("v", new BsonString("äxxxxß")));
        int at = bson.length - 8;
        for (int continued = 0; continued <= 2; continued++) {
            Arrays.fill(bson, at + 2, at + 2 + continued, (byte) 0x80);
            for (int first = 0x80; first < 0x100; first++) {
                for (int second = 0x70; second < 0x110; second += 0xF) {
                    bson[at] = (byte) first;
                    bson[at + 1] = (byte) second;
                    assertThat(BsonJson.relaxed(bson, 0, bson.length)).isEqualTo(DriverJson.of(bson, 0, bson.length));
                }
            }
        }
    }

    @Test
    void nestingEndsWhereTheDriverEndsIt() throws Exception {
        for (byte[] innermost : List.of(EMPTY, CODE_WITH_SCOPE)) {
            byte[] deepest = nested(innermost, 1023);
            byte[] expected = DriverJson.of(deepest, 0, deepest.length);
            onSmallStack(() ->
                    assertThat(BsonJson.relaxed(deepest, 0, deepest.length)).isEqualTo(expected));
            byte[] tooDeep = nested(innermost, 1024);
            assertThatThrownBy(() -> DriverJson.of(tooDeep, 0, tooDeep.length))
                    .isInstanceOf(BsonSerializationException.class);
            assertThatThrownBy(() -> BsonJson.relaxed(tooDeep, 0, tooDeep.length))
                    .isInstanceOf(BsonSerializationException.class)
                    .hasMessageContaining("1024 levels");
        }
    }

    /** Puts documents and arrays around a value until {@code levels} are below the outermost; the driver writes no more. */
    private static byte[] nested(byte[] innermost, int levels) {
        boolean isCode = innermost.length == CODE_WITH_SCOPE.length;
        byte[] value = innermost;
        int type = isCode ? 0x0F : 0x03;
        for (int k = isCode ? 2 : 1; k <= levels; k++) {
            value = ByteBuffer.allocate(value.length + 8)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt(value.length + 8)
                    .put((byte) type)
                    .put((byte) 'a')
                    .put((byte) 0)
                    .put(value)
                    .put((byte) 0)
                    .array();
            type = k % 2 == levels % 2 ? 0x03 : 0x04;
        }
        return value;
    }

    @Test
    void bytesBehindADocumentAreIgnoredAndMissingOnesAreNamed() {
        byte[] bson = DriverJson.bson(new BsonDocument("a", new BsonString("b")));
        byte[] longer = Arrays.copyOf(bson, bson.length + 7);
        assertThat(BsonJson.relaxed(longer, 0, longer.length)).isEqualTo("{\"a\": \"b\"}".getBytes(UTF_8));
        for (int length = 0; length < bson.length; length++) {
            int cut = length;
            assertThatThrownBy(() -> BsonJson.relaxed(bson, 0, cut))
                    .isInstanceOf(BsonSerializationException.class)
                    .hasMessageStartingWith("malformed BSON: ");
        }
        assertThatThrownBy(() -> BsonJson.relaxed(bson, 0, 6)).hasMessageEndingWith("a name or pattern does not end");
    }

    private static String json(BsonDocument document) {
        byte[] bson = DriverJson.bson(document);
        return new String(BsonJson.relaxed(bson, 0, bson.length), UTF_8);
    }

    private static String driversJson(BsonDocument document) {
        byte[] bson = DriverJson.bson(document);
        return new String(DriverJson.of(bson, 0, bson.length), UTF_8);
    }

    private static void onSmallStack(Runnable work) throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread thread = new Thread(null, work, "small-stack", SMALL_STACK);
        thread.setUncaughtExceptionHandler((dead, e) -> failure.set(e));
        thread.start();
        thread.join();
        assertThat(failure.get()).isNull();
    }
}

package dev.sluice.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDbPointer;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonJavaScript;
import org.bson.BsonJavaScriptWithScope;
import org.bson.BsonMaxKey;
import org.bson.BsonMinKey;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonSymbol;
import org.bson.BsonTimestamp;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;

/** Documents of all BSON types from a seed; jqwik's own recursive generators need a hundred times longer. */
final class RandomBson {
    private static final long LAST_DATE = 253_402_300_799_999L;
    private static final double[] EDGES = {
        0.0,
        -0.0,
        1e7,
        Math.nextDown(1e7),
        -1e7,
        1e-3,
        Math.nextDown(1e-3),
        Double.MIN_VALUE,
        Double.MAX_VALUE,
        Double.NaN,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY
    };
    private static final int MOST_LEVELS = 5;
    private static final int KINDS = 21;

    private final Random random;

    RandomBson(long seed) {
        random = new Random(seed);
    }

    int upTo(int bound) {
        return random.nextInt(bound);
    }

    BsonDocument document() {
        return document(0);
    }

    private BsonDocument document(int level) {
        BsonDocument document = new BsonDocument();
        for (int k = random.nextInt(7); k > 0; k--) {
            document.append(name(), value(level + 1));
        }
        return document;
    }

    private BsonValue value(int level) {
        return switch (random.nextInt(level < MOST_LEVELS ? KINDS : KINDS - 3)) {
            case 0 -> new BsonDouble(number());
            case 1, 2 -> new BsonString(text());
            case 3 -> new BsonJavaScript(text());
            case 4 -> new BsonSymbol(text());
            case 5 -> new BsonBinary((byte) random.nextInt(random.nextBoolean() ? 10 : 256), bytes(20));
            case 6 -> new BsonObjectId(new ObjectId(exactly(12)));
            case 7 -> BsonBoolean.valueOf(random.nextBoolean());
            case 8 -> new BsonDateTime(date());
            case 9 -> new BsonRegularExpression(name(), characters("ximslu\"é\ud83d\ude00"));
            case 10 -> new BsonDbPointer(text(), new ObjectId(exactly(12)));
            case 11 -> new BsonInt32(random.nextInt() >> random.nextInt(32));
            case 12 -> new BsonInt64(random.nextLong() >> random.nextInt(64));
            case 13 -> new BsonTimestamp(random.nextLong() >> random.nextInt(64));
            case 14 ->
                new BsonDecimal128(Decimal128.fromIEEE754BIDEncoding(
                        random.nextBoolean() ? 0x3040000000000000L : random.nextLong(), random.nextLong()));
            case 15 -> new BsonNull();
            case 16 -> new BsonUndefined();
            case 17 -> random.nextBoolean() ? new BsonMinKey() : new BsonMaxKey();
            case 18 -> document(level);
            case 19 -> array(level);
            default -> new BsonJavaScriptWithScope(text(), document(level));
        };
    }

    private BsonArray array(int level) {
        BsonArray array = new BsonArray();
        for (int k = random.nextInt(5); k > 0; k--) {
            array.add(value(level + 1));
        }
        return array;
    }

    /** Decimals of few digits and their neighbours beside every bit pattern. */
    double number() {
        double decimal = (random.nextLong() >> random.nextInt(64)) / Math.pow(10, random.nextInt(5));
        return switch (random.nextInt(6)) {
            case 0 -> EDGES[random.nextInt(EDGES.length)];
            case 1 -> Double.longBitsToDouble(random.nextLong());
            case 2 -> Math.nextUp(decimal);
            case 3 -> random.nextInt(20_000_001) / 1000.0;
            default -> decimal;
        };
    }

    long date() {
        long within = (long) (random.nextDouble() * LAST_DATE);
        return switch (random.nextInt(7)) {
            case 0 -> LAST_DATE + random.nextInt(3) - 1;
            case 1 -> random.nextInt(3) - 1;
            case 2 -> random.nextLong();
            case 3 -> within / 10 * 10;
            case 4 -> within / 1000 * 1000;
            case 5 -> within / 86_400_000 * 86_400_000;
            default -> within;
        };
    }

    private String name() {
        return text().replace("\0", "");
    }

    /** ASCII, escapes, and characters of every length in UTF-8. */
    String text() {
        StringBuilder text = new StringBuilder();
        int bound = new int[] {0x7F, 0x7F, 0x100, 0xD800, Character.MAX_CODE_POINT + 1}[random.nextInt(5)];
        for (int k = random.nextInt(12); k > 0; k--) {
            int point = random.nextInt(random.nextInt(4) == 0 ? bound : 0x7F);
            boolean isSurrogate = point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
            text.appendCodePoint(isSurrogate ? '\u2028' : point);
        }
        return text.toString();
    }

    private String characters(String from) {
        StringBuilder text = new StringBuilder();
        for (int k = random.nextInt(5); k > 0; k--) {
            text.appendCodePoint(from.codePointAt(random.nextInt(from.length() - 1)));
        }
        return text.toString();
    }

    /** Text in UTF-8 with bytes put between that belong to no character. */
    byte[] almostUtf8() {
        JsonBuffer all = new JsonBuffer(0);
        for (int k = random.nextInt(5); k > 0; k--) {
            all.raw(random.nextBoolean() ? text().getBytes(UTF_8) : highBytes());
        }
        return all.toByteArray();
    }

    private byte[] highBytes() {
        byte[] bytes = bytes(4);
        for (int k = 0; k < bytes.length; k++) {
            bytes[k] |= (byte) 0x80;
        }
        return bytes;
    }

    private byte[] bytes(int most) {
        return exactly(random.nextInt(most + 1));
    }

    private byte[] exactly(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Changes a byte, often to one that means something in BSON. */
    void damage(byte[] bson) {
        bson[random.nextInt(bson.length)] = (byte) (random.nextBoolean() ? random.nextInt() : random.nextInt(0x15) - 1);
    }
}

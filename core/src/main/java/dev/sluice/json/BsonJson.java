package dev.sluice.json;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.Base64;
import org.bson.BsonSerializationException;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;

/**
 * Writes raw BSON as MongoDB's relaxed extended JSON in UTF-8, byte for byte as {@code RawBsonDocument.toJson} of the
 * driver does, without its readers, character writers and a string per value.
 *
 * <p>Measured beside {@code toJson(RELAXED).getBytes(UTF_8)}: a document of 300 bytes takes 0.8 µs instead of 9.7 µs and
 * allocates 1.2 KB instead of 6.5 KB; one of 4.5 KB takes 7.4 µs instead of 143 µs and allocates 13 KB instead of 68 KB.
 * Conditions: JDK 25, CPU time of one thread on a busy machine with two cores, median of seven rounds of driver, this
 * class and driver again; the two medians of the driver differ by 0.4 %.
 */
public final class BsonJson {
    /** The driver's limit for documents and arrays within each other; a code with scope counts as one more. */
    private static final int MAX_DEPTH = 1024;

    private static final long LAST_MILLISECOND_OF_YEAR_9999 = 253_402_300_799_999L;
    private static final long DAY = 86_400_000;
    private static final int OBJECT_ID_BYTES = 12;
    private static final byte OLD_BINARY = 2;

    private final BsonBytes in;
    private final JsonBuffer out;
    private @Nullable Level level;
    private boolean isFirst;

    private BsonJson(BsonBytes in, JsonBuffer out) {
        this.in = in;
        this.out = out;
    }

    /**
     * Returns a document's JSON.
     *
     * @throws BsonSerializationException when the bytes are no BSON document, or one of more than 1024 levels
     */
    public static byte[] relaxed(byte[] array, int offset, int length) {
        JsonBuffer out = new JsonBuffer(length + length / 2);
        new BsonJson(new BsonBytes(array, offset, length), out).write();
        return out.toByteArray();
    }

    /** Keeps the open levels itself: a recursion of 1024 levels overflows the stack of a small thread. */
    private void write() {
        open(Container.DOCUMENT, "{");
        for (Level current = level; current != null; current = level) {
            int type = in.int8();
            if (type == 0) {
                level = closed(current);
                isFirst = false;
            } else {
                name(current.container);
                value(type);
            }
        }
    }

    private void open(Container container, String text) {
        int depth = level == null ? 1 : level.depth + 1;
        if (depth > MAX_DEPTH) {
            throw new BsonSerializationException(
                    "documents and arrays are nested deeper than " + MAX_DEPTH + " levels");
        }
        level = new Level(container, in.position(), depth, level);
        in.int32();
        out.ascii(text);
        isFirst = true;
    }

    /** Ends a level and returns the one around it. */
    private @Nullable Level closed(Level ended) {
        in.expectEnd(ended.start);
        out.append(ended.container == Container.ARRAY ? ']' : '}');
        Level around = ended.around;
        return around != null && around.container == Container.CODE ? closed(around) : around;
    }

    private void name(Container container) {
        if (!isFirst) {
            out.append(',', ' ');
        }
        isFirst = false;
        int start = in.position();
        int end = in.takeThroughZero();
        if (container == Container.DOCUMENT) {
            ExtendedText.append(in.array, start, end, out);
            out.append(':', ' ');
        }
    }

    private void value(int type) {
        switch (type) {
            case 0x01 -> number(Double.longBitsToDouble(in.int64()));
            case 0x02 -> string();
            case 0x03 -> open(Container.DOCUMENT, "{");
            case 0x04 -> open(Container.ARRAY, "[");
            case 0x05 -> binary();
            case 0x06 -> out.ascii("{\"$undefined\": true}");
            case 0x07 -> objectId();
            case 0x08 -> bool();
            case 0x09 -> date(in.int64());
            case 0x0A -> out.ascii("null");
            case 0x0B -> regularExpression();
            case 0x0C -> pointer();
            case 0x0D -> code();
            case 0x0E -> symbol();
            case 0x0F -> codeWithScope();
            case 0x10 -> out.number(in.int32());
            case 0x11 -> timestamp(in.int64());
            case 0x12 -> out.number(in.int64());
            case 0x13 -> decimal();
            case 0x7F -> out.ascii("{\"$maxKey\": 1}");
            case -1 -> out.ascii("{\"$minKey\": 1}");
            default -> throw BsonBytes.malformed("unknown type " + (type & 0xFF));
        }
    }

    private void number(double value) {
        if (Double.isFinite(value)) {
            DecimalDigits.append(value, out);
        } else {
            out.ascii("{\"$numberDouble\": \"").ascii(Double.toString(value)).append('"', '}');
        }
    }

    private void string() {
        int start = in.takeString();
        ExtendedText.append(in.array, start, in.position() - 1, out);
    }

    private void bool() {
        byte value = in.int8();
        if (value != 0 && value != 1) {
            throw BsonBytes.malformed("a boolean of " + value);
        }
        out.bool(value == 1);
    }

    private void objectId() {
        out.ascii("{\"$oid\": \"");
        HexDigits.append(in.array, in.take(OBJECT_ID_BYTES), OBJECT_ID_BYTES, out);
        out.append('"', '}');
    }

    private void date(long millis) {
        if (millis < 0 || millis > LAST_MILLISECOND_OF_YEAR_9999) {
            out.ascii("{\"$date\": {\"$numberLong\": \"").number(millis).ascii("\"}}");
            return;
        }
        LocalDate day = LocalDate.ofEpochDay(millis / DAY);
        int time = (int) (millis % DAY);
        out.ascii("{\"$date\": \"");
        padded(day.getYear(), 4, '-');
        padded(day.getMonthValue(), 2, '-');
        padded(day.getDayOfMonth(), 2, 'T');
        padded(time / 3_600_000, 2, ':');
        padded(time / 60_000 % 60, 2, ':');
        DecimalDigits.appendPadded(time / 1000 % 60, 2, out);
        if (time % 1000 != 0) {
            out.append('.');
            DecimalDigits.appendFraction(time % 1000, out);
        }
        out.append('Z').append('"', '}');
    }

    private void padded(int value, int width, char behind) {
        DecimalDigits.appendPadded(value, width, out);
        out.append(behind);
    }

    private void timestamp(long value) {
        out.ascii("{\"$timestamp\": {\"t\": ").number(value >>> 32);
        out.ascii(", \"i\": ").number(value & 0xFFFF_FFFFL).append('}', '}');
    }

    private void binary() {
        int length = in.int32();
        byte subType = in.int8();
        if (subType == OLD_BINARY) {
            length -= Integer.BYTES;
            if (in.int32() != length) {
                throw BsonBytes.malformed("a binary of subtype 2 with two different lengths");
            }
        }
        ByteBuffer bytes = ByteBuffer.wrap(in.array, in.take(length), length);
        out.ascii("{\"$binary\": {\"base64\": \"")
                .raw(Base64.getEncoder().encode(bytes).array());
        out.ascii("\", \"subType\": \"").ascii(subTypeText(subType)).ascii("\"}}");
    }

    private static String subTypeText(byte subType) {
        return new String(new char[] {upperHex(subType >> 4), upperHex(subType)});
    }

    private static char upperHex(int digit) {
        return Character.toUpperCase(Character.forDigit(digit & 0xF, 16));
    }

    /** The driver sorts the options. */
    private void regularExpression() {
        int pattern = in.position();
        out.ascii("{\"$regularExpression\": {\"pattern\": ");
        ExtendedText.append(in.array, pattern, in.takeThroughZero(), out);
        int options = in.position();
        char[] sorted = text(options, in.takeThroughZero()).toCharArray();
        Arrays.sort(sorted);
        out.ascii(", \"options\": ");
        ExtendedText.append(new String(sorted), out);
        out.append('}', '}');
    }

    private String text(int from, int to) {
        return new String(in.array, from, to - from, StandardCharsets.UTF_8);
    }

    private void pointer() {
        out.ascii("{\"$ref\": ");
        string();
        out.ascii(", \"$id\": ");
        objectId();
        out.append('}');
    }

    private void code() {
        out.ascii("{\"$code\": ");
        string();
        out.append('}');
    }

    private void symbol() {
        out.ascii("{\"$symbol\": ");
        string();
        out.append('}');
    }

    private void codeWithScope() {
        open(Container.CODE, "{\"$code\": ");
        string();
        open(Container.DOCUMENT, ", \"$scope\": {");
    }

    private void decimal() {
        long low = in.int64();
        Decimal128 value = Decimal128.fromIEEE754BIDEncoding(in.int64(), low);
        out.ascii("{\"$numberDecimal\": \"").ascii(value.toString()).append('"', '}');
    }

    private enum Container {
        DOCUMENT,
        ARRAY,
        /** Code with a scope: a string and a document, under a length of their own. */
        CODE
    }

    /**
     * A container that is being written.
     *
     * @param start where its length stands
     */
    private record Level(
            Container container,
            int start,
            int depth,
            @Nullable Level around) {}
}

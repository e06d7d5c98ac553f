package dev.sluice.mongodb;

import dev.sluice.model.InvalidInputException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Steps over the fields of one raw BSON document without decoding or allocating anything: after {@link #next} it stands
 * on a field and tells its type, its name's bytes and where its value lies. Reusable. For one thread.
 */
final class RawFields {
    static final byte DOUBLE = 0x01;
    static final byte STRING = 0x02;
    static final byte DOCUMENT = 0x03;
    static final byte ARRAY = 0x04;
    static final byte OBJECT_ID = 0x07;
    static final byte DATE_TIME = 0x09;
    static final byte NULL = 0x0A;
    static final byte INT32 = 0x10;
    static final byte TIMESTAMP = 0x11;
    static final byte INT64 = 0x12;

    private static final int LONGEST_STEP = 17;
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private byte[] array = {};
    private int end;
    private int type;
    private int nameStart;
    private int nameEnd;
    private int valueStart;
    private int valueEnd;

    /** Goes before the first field of the document that starts at {@code offset}. */
    RawFields over(byte[] array, int offset) {
        if (offset < 0 || offset > array.length - 5) {
            throw malformed();
        }
        int length = intAt(array, offset);
        if (length < 5 || length > array.length - offset) {
            throw malformed();
        }
        this.array = array;
        this.end = offset + length - 1;
        this.valueEnd = offset + 4;
        return this;
    }

    boolean next() {
        int at = valueEnd;
        if (at >= end) {
            return false;
        }
        type = array[at];
        nameStart = at + 1;
        nameEnd = zeroFrom(nameStart);
        valueStart = nameEnd + 1;
        valueEnd = valueStart + valueLength();
        if (valueEnd > end || valueEnd < valueStart) {
            throw malformed();
        }
        return true;
    }

    private int zeroFrom(int at) {
        while (at < end && array[at] != 0) {
            at++;
        }
        if (at >= end) {
            throw malformed();
        }
        return at;
    }

    private int valueLength() {
        return switch (type) {
            case DOUBLE, DATE_TIME, TIMESTAMP, INT64 -> 8;
            case STRING, 0x0D, 0x0E -> 4 + length(valueStart, 1);
            case DOCUMENT, ARRAY, 0x0F -> length(valueStart, 5);
            case 0x05 -> 5 + length(valueStart, 0);
            case OBJECT_ID -> 12;
            case 0x08 -> 1;
            case 0x06, NULL, 0x7F, (byte) 0xFF -> 0;
            case 0x0B -> zeroFrom(zeroFrom(valueStart) + 1) + 1 - valueStart;
            case 0x0C -> 4 + length(valueStart, 1) + 12;
            case INT32 -> 4;
            case 0x13 -> 16;
            default -> throw malformed();
        };
    }

    private int length(int at, int least) {
        if (at > end - 4) {
            throw malformed();
        }
        int length = intAt(array, at);
        if (length < least || length > end - at + LONGEST_STEP) {
            throw malformed();
        }
        return length;
    }

    int type() {
        return type;
    }

    boolean is(byte[] name) {
        return Arrays.equals(array, nameStart, nameEnd, name, 0, name.length);
    }

    /** For a quick decision before {@link #is}. */
    int nameLength() {
        return nameEnd - nameStart;
    }

    byte nameAt(int index) {
        return array[nameStart + index];
    }

    /** Where the field itself starts, with its type and name. */
    int fieldStart() {
        return nameStart - 1;
    }

    int valueStart() {
        return valueStart;
    }

    int valueEnd() {
        return valueEnd;
    }

    /** Of a string value: its text without length and closing zero. */
    int textStart() {
        return valueStart + 4;
    }

    int textLength() {
        return valueEnd - valueStart - 5;
    }

    boolean textIs(byte[] text) {
        return Arrays.equals(array, textStart(), textStart() + textLength(), text, 0, text.length);
    }

    int int32() {
        return intAt(array, valueStart);
    }

    long int64() {
        return longAt(array, valueStart);
    }

    static int intAt(byte[] array, int offset) {
        return (int) INTS.get(array, offset);
    }

    static long longAt(byte[] array, int offset) {
        return (long) LONGS.get(array, offset);
    }

    private static InvalidInputException malformed() {
        return new InvalidInputException("the source sent a document that is not well-formed BSON");
    }
}

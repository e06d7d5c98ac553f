package dev.sluice.match;

import dev.sluice.model.InvalidInputException;

/**
 * Where things are in raw BSON. A value is named by its array, its type and the offset of its first byte, so that
 * nothing is built while a filter looks at a document. Lengths are checked before they are trusted: damaged bytes end
 * in an exception, never in an endless walk.
 */
final class RawValues {
    /** Not a type of BSON: there is no value at all. */
    static final int MISSING = 0x00;

    static final int DOUBLE = 0x01;
    static final int STRING = 0x02;
    static final int DOCUMENT = 0x03;
    static final int ARRAY = 0x04;
    static final int BINARY = 0x05;
    static final int UNDEFINED = 0x06;
    static final int OBJECT_ID = 0x07;
    static final int BOOLEAN = 0x08;
    static final int DATE_TIME = 0x09;
    static final int NULL = 0x0A;
    static final int REGEX = 0x0B;
    static final int DB_POINTER = 0x0C;
    static final int JAVASCRIPT = 0x0D;
    static final int SYMBOL = 0x0E;
    static final int JAVASCRIPT_WITH_SCOPE = 0x0F;
    static final int INT32 = 0x10;
    static final int TIMESTAMP = 0x11;
    static final int INT64 = 0x12;
    static final int DECIMAL128 = 0x13;
    static final int MAX_KEY = 0x7F;
    static final int MIN_KEY = 0xFF;

    /** Of a document's or an array's own length, in front of its elements. */
    static final int HEADER = 4;

    private RawValues() {}

    static int type(byte[] bytes, int element) {
        return bytes[element] & 0xFF;
    }

    /** Where the value of the element starts whose type byte is at {@code element}. */
    static int value(byte[] bytes, int element) {
        int at = element + 1;
        while (bytes[at] != 0) {
            at++;
        }
        return at + 1;
    }

    /** Where the element behind this value starts. */
    static int next(byte[] bytes, int type, int value) {
        return value + size(bytes, type, value);
    }

    static int size(byte[] bytes, int type, int at) {
        return switch (type) {
            case NULL, UNDEFINED, MIN_KEY, MAX_KEY -> 0;
            case BOOLEAN -> 1;
            case INT32 -> 4;
            case DOUBLE, INT64, DATE_TIME, TIMESTAMP -> 8;
            case OBJECT_ID -> 12;
            case DECIMAL128 -> 16;
            case STRING, SYMBOL, JAVASCRIPT -> 4 + length(bytes, at, 1);
            case DOCUMENT, ARRAY -> length(bytes, at, 5);
            case JAVASCRIPT_WITH_SCOPE -> length(bytes, at, 14);
            case BINARY -> 5 + length(bytes, at, 0);
            case DB_POINTER -> 16 + length(bytes, at, 1);
            case REGEX -> afterText(bytes, afterText(bytes, at)) - at;
            default -> throw damaged("type " + type);
        };
    }

    private static int length(byte[] bytes, int at, int least) {
        int length = int32(bytes, at);
        if (length < least || length > bytes.length - at) {
            throw damaged("a length of " + length);
        }
        return length;
    }

    /** Behind the zero that ends the text. */
    static int afterText(byte[] bytes, int at) {
        while (bytes[at] != 0) {
            at++;
        }
        return at + 1;
    }

    static int int32(byte[] b, int at) {
        return b[at] & 0xFF | (b[at + 1] & 0xFF) << 8 | (b[at + 2] & 0xFF) << 16 | b[at + 3] << 24;
    }

    static long int64(byte[] b, int at) {
        return int32(b, at) & 0xFFFF_FFFFL | (long) int32(b, at + 4) << 32;
    }

    /** Bytes of a string without its length and its closing zero; they start at {@code at + 4}. */
    static int textLength(byte[] bytes, int at) {
        return length(bytes, at, 1) - 1;
    }

    static boolean isText(int type) {
        return type == STRING || type == SYMBOL;
    }

    static boolean isNothing(int type) {
        return type == MISSING || type == NULL || type == UNDEFINED;
    }

    private static InvalidInputException damaged(String what) {
        return new InvalidInputException("the document is not BSON: it holds " + what + " where none can be");
    }
}

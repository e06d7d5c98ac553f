package dev.sluice.match;

import java.util.Arrays;

/**
 * MongoDB's order over raw BSON values: first by kind of type, then by value, numbers exactly across their four types.
 * Comparing a document goes no deeper than the shallower of the two, so that a filter's own depth bounds the recursion.
 */
final class ValueOrder {
    static final int NUMBER = 2;
    static final int TEXT = 3;
    /** Kinds are numbered from 0 to this. */
    static final int KINDS = 16;

    private static final byte[] KIND_OF_TYPE = kinds();

    private ValueOrder() {}

    private static byte[] kinds() {
        int[] order = {
            RawValues.MIN_KEY,
            RawValues.NULL,
            RawValues.INT32,
            RawValues.STRING,
            RawValues.DOCUMENT,
            RawValues.ARRAY,
            RawValues.BINARY,
            RawValues.OBJECT_ID,
            RawValues.BOOLEAN,
            RawValues.DATE_TIME,
            RawValues.TIMESTAMP,
            RawValues.REGEX,
            RawValues.DB_POINTER,
            RawValues.JAVASCRIPT,
            RawValues.JAVASCRIPT_WITH_SCOPE,
            RawValues.MAX_KEY
        };
        byte[] kinds = new byte[256];
        for (int kind = 0; kind < order.length; kind++) {
            kinds[order[kind]] = (byte) kind;
        }
        kinds[RawValues.MISSING] = kinds[RawValues.NULL];
        kinds[RawValues.UNDEFINED] = kinds[RawValues.NULL];
        kinds[RawValues.DOUBLE] = NUMBER;
        kinds[RawValues.INT64] = NUMBER;
        kinds[RawValues.DECIMAL128] = NUMBER;
        kinds[RawValues.SYMBOL] = TEXT;
        return kinds;
    }

    /** Types that compare with each other share a kind; kinds come in MongoDB's order. */
    static int kind(int type) {
        return KIND_OF_TYPE[type];
    }

    /**
     * A number that stands for a value among those of its kind: the lower value never has the higher number, equal ones
     * have the same; different ones may share theirs. Of ordered kinds only; of all others 0.
     */
    static long sortKey(byte[] bytes, int type, int at) {
        return switch (type) {
            case RawValues.INT32, RawValues.INT64, RawValues.DOUBLE, RawValues.DECIMAL128 -> {
                long bits = Double.doubleToLongBits(RawNumbers.rounded(bytes, type, at) + 0.0);
                yield bits ^ (bits >> 63 & Long.MAX_VALUE);
            }
            case RawValues.DATE_TIME -> RawValues.int64(bytes, at);
            case RawValues.TIMESTAMP -> RawValues.int64(bytes, at) ^ Long.MIN_VALUE;
            case RawValues.STRING, RawValues.SYMBOL -> firstBytes(bytes, at + 4, RawValues.textLength(bytes, at));
            case RawValues.OBJECT_ID -> firstBytes(bytes, at, 12);
            default -> 0;
        };
    }

    private static long firstBytes(byte[] bytes, int at, int length) {
        long key = 0;
        for (int k = 0; k < Long.BYTES; k++) {
            key = key << 8 | (k < length ? bytes[at + k] & 0xFF : 0);
        }
        return key ^ Long.MIN_VALUE;
    }

    static int compare(byte[] a, int typeA, int atA, byte[] b, int typeB, int atB) {
        int kind = kind(typeA);
        int byKind = Integer.compare(kind, kind(typeB));
        return byKind != 0 ? byKind : withinKind(a, typeA, atA, b, typeB, atB);
    }

    private static int withinKind(byte[] a, int typeA, int atA, byte[] b, int typeB, int atB) {
        return switch (typeA) {
            case RawValues.INT32, RawValues.INT64, RawValues.DOUBLE, RawValues.DECIMAL128 ->
                RawNumbers.compare(a, typeA, atA, b, typeB, atB);
            case RawValues.STRING, RawValues.SYMBOL, RawValues.JAVASCRIPT -> compareTexts(a, atA, b, atB);
            case RawValues.OBJECT_ID -> Arrays.compareUnsigned(a, atA, atA + 12, b, atB, atB + 12);
            case RawValues.DATE_TIME -> Long.compare(RawValues.int64(a, atA), RawValues.int64(b, atB));
            case RawValues.TIMESTAMP -> Long.compareUnsigned(RawValues.int64(a, atA), RawValues.int64(b, atB));
            case RawValues.BOOLEAN -> Byte.compare(a[atA], b[atB]);
            // undefined sorts just before null
            case RawValues.MISSING, RawValues.NULL, RawValues.UNDEFINED ->
                Boolean.compare(typeA == RawValues.NULL, typeB == RawValues.NULL);
            case RawValues.DOCUMENT -> compareElements(a, atA, b, atB, true);
            case RawValues.ARRAY -> compareElements(a, atA, b, atB, false);
            case RawValues.BINARY -> compareBinaries(a, atA, b, atB);
            case RawValues.REGEX -> compareRegexes(a, atA, b, atB);
            case RawValues.MIN_KEY, RawValues.MAX_KEY -> 0;
            default -> compareAsTheyAre(a, typeA, atA, b, typeB, atB);
        };
    }

    /** By UTF-8 bytes, which is by code point. */
    private static int compareTexts(byte[] a, int atA, byte[] b, int atB) {
        int x = atA + 4;
        int y = atB + 4;
        return Arrays.compareUnsigned(a, x, x + RawValues.textLength(a, atA), b, y, y + RawValues.textLength(b, atB));
    }

    private static int compareElements(byte[] a, int atA, byte[] b, int atB, boolean named) {
        int x = atA + RawValues.HEADER;
        int y = atB + RawValues.HEADER;
        while (a[x] != 0 && b[y] != 0) {
            int typeA = RawValues.type(a, x);
            int typeB = RawValues.type(b, y);
            int valueA = RawValues.value(a, x);
            int valueB = RawValues.value(b, y);
            int order = Integer.compare(kind(typeA), kind(typeB));
            if (order == 0 && named) {
                order = Arrays.compareUnsigned(a, x + 1, valueA, b, y + 1, valueB);
            }
            if (order == 0) {
                order = withinKind(a, typeA, valueA, b, typeB, valueB);
            }
            if (order != 0) {
                return order;
            }
            x = RawValues.next(a, typeA, valueA);
            y = RawValues.next(b, typeB, valueB);
        }
        return Boolean.compare(a[x] != 0, b[y] != 0);
    }

    private static int compareBinaries(byte[] a, int atA, byte[] b, int atB) {
        int sizeA = RawValues.size(a, RawValues.BINARY, atA);
        int sizeB = RawValues.size(b, RawValues.BINARY, atB);
        int order = Integer.compare(sizeA, sizeB);
        return order != 0 ? order : Arrays.compareUnsigned(a, atA + 4, atA + sizeA, b, atB + 4, atB + sizeB);
    }

    private static int compareRegexes(byte[] a, int atA, byte[] b, int atB) {
        int optionsA = RawValues.afterText(a, atA);
        int optionsB = RawValues.afterText(b, atB);
        int order = Arrays.compareUnsigned(a, atA, optionsA, b, atB, optionsB);
        return order != 0
                ? order
                : Arrays.compareUnsigned(
                        a, optionsA, RawValues.afterText(a, optionsA), b, optionsB, RawValues.afterText(b, optionsB));
    }

    /** Pointers and code with scope: no filter can name them, so any total order will do. */
    private static int compareAsTheyAre(byte[] a, int typeA, int atA, byte[] b, int typeB, int atB) {
        return Arrays.compareUnsigned(a, atA, RawValues.next(a, typeA, atA), b, atB, RawValues.next(b, typeB, atB));
    }
}

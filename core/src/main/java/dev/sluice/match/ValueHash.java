package dev.sluice.match;

import java.security.SecureRandom;

/**
 * Hashes of raw values: what MongoDB calls equal has one hash, whatever its type of number. Multiplied by a secret of
 * this process, so that nobody outside can make up values that share one.
 */
final class ValueHash {
    /** Told from outside only by a simulation: the order in which matches are told follows from it, and must replay. */
    private static final long SECRET = Long.getLong("sluice.match.secret", new SecureRandom().nextLong()) | 1;

    /** Of a document or an array only so much is hashed; the rest is left to the comparison. */
    private static final int MOST_ELEMENTS = 16;

    private static final int MOST_LEVELS = 3;

    private ValueHash() {}

    static long of(byte[] bytes, int type, int at) {
        return of(bytes, type, at, 0);
    }

    private static long of(byte[] bytes, int type, int at, int level) {
        long kind = ValueOrder.kind(type);
        return switch (type) {
            case RawValues.INT32, RawValues.INT64, RawValues.DOUBLE, RawValues.DECIMAL128 ->
                add(kind, RawNumbers.hash(bytes, type, at));
            case RawValues.STRING, RawValues.SYMBOL, RawValues.JAVASCRIPT ->
                add(kind, bytes, at + 4, RawValues.textLength(bytes, at));
            case RawValues.DATE_TIME, RawValues.TIMESTAMP -> add(kind, RawValues.int64(bytes, at));
            case RawValues.OBJECT_ID, RawValues.BINARY, RawValues.REGEX ->
                add(kind, bytes, at, RawValues.size(bytes, type, at));
            case RawValues.BOOLEAN -> add(kind, bytes[at]);
            case RawValues.DOCUMENT, RawValues.ARRAY -> level == MOST_LEVELS ? kind : elements(bytes, type, at, level);
            default -> kind;
        };
    }

    private static long elements(byte[] bytes, int type, int at, int level) {
        long hash = ValueOrder.kind(type);
        int element = at + RawValues.HEADER;
        for (int k = 0; k < MOST_ELEMENTS && bytes[element] != 0; k++) {
            int elementType = RawValues.type(bytes, element);
            int value = RawValues.value(bytes, element);
            if (type == RawValues.DOCUMENT) {
                hash = add(hash, bytes, element + 1, value - element - 2);
            }
            hash = add(hash, of(bytes, elementType, value, level + 1));
            element = RawValues.next(bytes, elementType, value);
        }
        return hash;
    }

    static long add(long hash, byte[] bytes, int at, int length) {
        for (int k = at; k < at + length; k++) {
            hash = addByte(hash, bytes[k]);
        }
        return hash;
    }

    /** One step of hashing text, for those who need the hash of every prefix. */
    static long addByte(long hash, byte octet) {
        return (hash + octet) * SECRET;
    }

    private static long add(long hash, long value) {
        long mixed = (hash ^ value) * SECRET;
        return (mixed ^ mixed >>> 32) * SECRET;
    }

    /** Of names and ids: unlike {@link String#hashCode}, nobody outside can aim at it. */
    static int ofText(String text) {
        long hash = text.length();
        for (int k = 0; k < text.length(); k++) {
            hash = (hash + text.charAt(k)) * SECRET;
        }
        return key(hash);
    }

    static int ofBytes(byte[] bytes) {
        return key(add(bytes.length, bytes, 0, bytes.length));
    }

    /** Under what a value of that hash is kept in a {@link ProbeTable}. */
    static int key(long hash) {
        long mixed = (hash ^ hash >>> 32) * SECRET;
        return (int) (mixed >>> 32);
    }
}

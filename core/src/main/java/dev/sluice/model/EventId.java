package dev.sluice.model;

import java.util.HexFormat;

/**
 * The identity of a change event: {@code T-I-xxxxxxxxxxxxxxxx}, its cluster time and a 64-bit hash of its resume token.
 * The same change has the same id on every Puller that captures it. Ids order by cluster time only; within one
 * cluster time the order of arrival counts, which the id does not tell.
 */
public record EventId(ClusterTime time, long hash) {
    private static final int HASH_DIGITS = 16;
    private static final int MAX_LENGTH = 10 + 1 + 10 + 1 + HASH_DIGITS;
    private static final HexFormat HEX = HexFormat.of();

    /** The id of the change that came with this resume token (its raw BSON; opaque, hashed whole). */
    public static EventId of(ClusterTime time, byte[] token, int offset, int length) {
        return new EventId(time, Fnv1a64.hash(token, offset, length));
    }

    /**
     * Reads the text form. Only the form {@link #toString} writes is accepted, so equal ids are equal strings.
     *
     * @throws InvalidInputException naming what is wrong
     */
    public static EventId parse(String text) {
        if (text.length() > MAX_LENGTH) {
            throw bad(text, "it is longer than " + MAX_LENGTH + " characters");
        }
        int first = text.indexOf('-');
        int second = text.indexOf('-', first + 1);
        if (first < 0 || second < 0) {
            throw bad(text, "it needs two dashes");
        }
        long t = parseUnsigned32(text, 0, first);
        long i = parseUnsigned32(text, first + 1, second);
        return new EventId(ClusterTime.of(t, i), parseHash(text, second + 1));
    }

    private static long parseUnsigned32(String text, int from, int to) {
        if (from == to || to - from > 10 || (text.charAt(from) == '0' && to - from > 1)) {
            throw bad(text, "its time is not two plain unsigned 32-bit numbers");
        }
        long value = 0;
        for (int k = from; k < to; k++) {
            char c = text.charAt(k);
            if (c < '0' || c > '9') {
                throw bad(text, "its time is not two plain unsigned 32-bit numbers");
            }
            value = value * 10 + (c - '0');
        }
        if (value >>> 32 != 0) {
            throw bad(text, "its time is not two plain unsigned 32-bit numbers");
        }
        return value;
    }

    private static long parseHash(String text, int from) {
        if (text.length() - from != HASH_DIGITS) {
            throw bad(text, "its hash is not " + HASH_DIGITS + " digits");
        }
        for (int k = from; k < text.length(); k++) {
            char c = text.charAt(k);
            if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
                throw bad(text, "its hash is not lower-case hexadecimal");
            }
        }
        return HexFormat.fromHexDigitsToLong(text, from, text.length());
    }

    private static InvalidInputException bad(String text, String why) {
        return new InvalidInputException("event id " + InvalidInputException.quote(text) + " is not of the form"
                + " T-I-xxxxxxxxxxxxxxxx: " + why);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(MAX_LENGTH);
        text.append(time.t()).append('-').append(time.i()).append('-');
        return text.append(HEX.toHexDigits(hash)).toString();
    }
}

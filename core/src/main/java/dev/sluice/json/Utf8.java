package dev.sluice.json;

/** Code points in UTF-8. */
final class Utf8 {
    static final int MALFORMED = -1;

    private Utf8() {}

    /**
     * Returns the code point of the bytes at {@code at}, or {@link #MALFORMED}: a truncated or overlong sequence, a
     * surrogate, a number above U+10FFFF.
     */
    static int decode(byte[] in, int at, int end) {
        int first = in[at];
        if (first >= 0) {
            return first;
        }
        if (first >> 5 == -2) {
            return checked(first & 0x1F, in, at, end, 2);
        }
        if (first >> 4 == -2) {
            return checked(first & 0x0F, in, at, end, 3);
        }
        return first >> 3 == -2 ? checked(first & 0x07, in, at, end, 4) : MALFORMED;
    }

    private static int checked(int head, byte[] in, int at, int end, int length) {
        if (end - at < length) {
            return MALFORMED;
        }
        int point = head;
        for (int k = at + 1; k < at + length; k++) {
            if (in[k] >> 6 != -2) {
                return MALFORMED;
            }
            point = point << 6 | in[k] & 0x3F;
        }
        boolean isSurrogate = point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
        return isSurrogate || point > Character.MAX_CODE_POINT || length(point) != length ? MALFORMED : point;
    }

    /** Returns the number of bytes of a code point. */
    static int length(int point) {
        if (point < 0x80) {
            return 1;
        }
        if (point < 0x800) {
            return 2;
        }
        return point < 0x1_0000 ? 3 : 4;
    }

    /** Appends a code point that is no surrogate. */
    static void append(int point, JsonBuffer out) {
        switch (length(point)) {
            case 1 -> out.append((char) point);
            case 2 -> out.append((char) (0xC0 | point >> 6), tail(point));
            case 3 -> out.append((char) (0xE0 | point >> 12), tail(point >> 6)).append(tail(point));
            default ->
                out.append((char) (0xF0 | point >> 18), tail(point >> 12)).append(tail(point >> 6), tail(point));
        }
    }

    private static char tail(int point) {
        return (char) (0x80 | point & 0x3F);
    }
}

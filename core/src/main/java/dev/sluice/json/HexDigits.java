package dev.sluice.json;

/** Writes bytes in hexadecimal digits, and characters as JSON escapes. */
final class HexDigits {
    private static final byte[] LOWER = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'
    };

    private HexDigits() {}

    static void append(byte[] from, int offset, int length, JsonBuffer out) {
        out.reserve(2 * length);
        byte[] array = out.array();
        int at = out.size();
        for (int k = offset; k < offset + length; k++) {
            array[at++] = LOWER[from[k] >> 4 & 0xF];
            array[at++] = LOWER[from[k] & 0xF];
        }
        out.advance(2 * length);
    }

    /** Appends {@code \}{@code u} and four digits. */
    static void escape(char c, JsonBuffer out) {
        out.append('\\', 'u');
        for (int shift = 12; shift >= 0; shift -= 4) {
            out.append((char) LOWER[c >> shift & 0xF]);
        }
    }
}

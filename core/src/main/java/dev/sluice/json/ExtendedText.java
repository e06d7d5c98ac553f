package dev.sluice.json;

import java.nio.charset.StandardCharsets;

/**
 * Writes strings as the driver's JSON writer does: letters, digits, punctuation, symbols and spaces of the first 65,536
 * characters as themselves, all others as escapes, those above as two escapes. Malformed UTF-8 becomes U+FFFD, as
 * {@link String} decodes it.
 */
final class ExtendedText {
    private static final int LITERAL_TYPES = 1 << Character.UPPERCASE_LETTER
            | 1 << Character.LOWERCASE_LETTER
            | 1 << Character.TITLECASE_LETTER
            | 1 << Character.OTHER_LETTER
            | 1 << Character.DECIMAL_DIGIT_NUMBER
            | 1 << Character.LETTER_NUMBER
            | 1 << Character.OTHER_NUMBER
            | 1 << Character.SPACE_SEPARATOR
            | 1 << Character.CONNECTOR_PUNCTUATION
            | 1 << Character.DASH_PUNCTUATION
            | 1 << Character.START_PUNCTUATION
            | 1 << Character.END_PUNCTUATION
            | 1 << Character.INITIAL_QUOTE_PUNCTUATION
            | 1 << Character.FINAL_QUOTE_PUNCTUATION
            | 1 << Character.OTHER_PUNCTUATION
            | 1 << Character.MATH_SYMBOL
            | 1 << Character.CURRENCY_SYMBOL
            | 1 << Character.MODIFIER_SYMBOL
            | 1 << Character.OTHER_SYMBOL;

    /** By byte: an ASCII character that is written as itself. */
    private static final boolean[] LITERAL_ASCII = new boolean[256];

    static {
        for (char c = 0; c < 128; c++) {
            LITERAL_ASCII[c] = isLiteral(c);
        }
    }

    private ExtendedText() {}

    /** Appends UTF-8 in quotes. */
    static void append(byte[] in, int from, int to, JsonBuffer out) {
        int before = out.size();
        out.append('"');
        if (!appendEscaped(in, from, to, out)) {
            out.truncate(before);
            append(new String(in, from, to - from, StandardCharsets.UTF_8), out);
            return;
        }
        out.append('"');
    }

    /** Copies runs of bytes that need no escape. Returns false, with half of the text written, at malformed UTF-8. */
    private static boolean appendEscaped(byte[] in, int from, int to, JsonBuffer out) {
        int run = from;
        int at = from;
        while (at < to) {
            if (LITERAL_ASCII[in[at] & 0xFF]) {
                at++;
                continue;
            }
            int point = Utf8.decode(in, at, to);
            if (point == Utf8.MALFORMED) {
                return false;
            }
            int next = at + Utf8.length(point);
            if (!isLiteral(point)) {
                out.raw(in, run, at - run);
                escape(point, out);
                run = next;
            }
            at = next;
        }
        out.raw(in, run, to - run);
        return true;
    }

    /** Appends a string in quotes. Unpaired surrogates are escaped. */
    static void append(String text, JsonBuffer out) {
        out.append('"');
        for (int k = 0; k < text.length(); k++) {
            char c = text.charAt(k);
            if (isLiteral(c)) {
                Utf8.append(c, out);
            } else {
                escape(c, out);
            }
        }
        out.append('"');
    }

    private static boolean isLiteral(int point) {
        return point <= Character.MAX_VALUE
                && (LITERAL_TYPES >>> Character.getType((char) point) & 1) != 0
                && point != '"'
                && point != '\\';
    }

    private static void escape(int point, JsonBuffer out) {
        switch (point) {
            case '"', '\\' -> out.append('\\', (char) point);
            case '\b' -> out.append('\\', 'b');
            case '\f' -> out.append('\\', 'f');
            case '\n' -> out.append('\\', 'n');
            case '\r' -> out.append('\\', 'r');
            case '\t' -> out.append('\\', 't');
            default -> escapeByNumber(point, out);
        }
    }

    private static void escapeByNumber(int point, JsonBuffer out) {
        if (point <= Character.MAX_VALUE) {
            HexDigits.escape((char) point, out);
        } else {
            HexDigits.escape(Character.highSurrogate(point), out);
            HexDigits.escape(Character.lowSurrogate(point), out);
        }
    }
}

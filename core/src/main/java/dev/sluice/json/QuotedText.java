package dev.sluice.json;

/**
 * Writes a string as the members of our own objects have it: in quotes, control characters and unpaired surrogates as
 * {@code \}{@code u....}, every other character as itself. Extended JSON escapes more: {@link ExtendedText}.
 */
final class QuotedText {
    private static final char FIRST_PRINTABLE = 0x20;
    private static final char LAST_ASCII = 0x7F;

    private QuotedText() {}

    static void append(String text, JsonBuffer out) {
        out.append('"');
        int plain = plainPrefix(text);
        out.ascii(plain == text.length() ? text : text.substring(0, plain));
        for (int k = plain; k < text.length(); k++) {
            char c = text.charAt(k);
            if (c == '"' || c == '\\') {
                out.append('\\', c);
            } else if (c < FIRST_PRINTABLE) {
                HexDigits.escape(c, out);
            } else if (!Character.isSurrogate(c)) {
                Utf8.append(c, out);
            } else if (isPair(text, k)) {
                Utf8.append(text.codePointAt(k++), out);
            } else {
                HexDigits.escape(c, out);
            }
        }
        out.append('"');
    }

    private static int plainPrefix(String text) {
        int k = 0;
        while (k < text.length() && isPlain(text.charAt(k))) {
            k++;
        }
        return k;
    }

    private static boolean isPlain(char c) {
        return c >= FIRST_PRINTABLE && c <= LAST_ASCII && c != '"' && c != '\\';
    }

    private static boolean isPair(String text, int k) {
        return k + 1 < text.length() && Character.isSurrogatePair(text.charAt(k), text.charAt(k + 1));
    }
}

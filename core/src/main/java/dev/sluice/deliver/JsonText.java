package dev.sluice.deliver;

import java.util.HexFormat;

/** Writes texts into JSON. */
public final class JsonText {
    private static final char FIRST_PRINTABLE = 0x20;

    private JsonText() {}

    /** Appends the text in quotes. Half a surrogate pair, which UTF-8 cannot carry, is written as an escape. */
    public static void quote(CharSequence text, StringBuilder into) {
        into.append('"');
        int run = 0;
        for (int k = 0; k < text.length(); k++) {
            char c = text.charAt(k);
            boolean escapedByNumber = c < FIRST_PRINTABLE || Character.isSurrogate(c) && !isPaired(text, k);
            if (escapedByNumber || c == '"' || c == '\\') {
                into.append(text, run, k).append('\\');
                into.append(escapedByNumber ? "u" + HexFormat.of().toHexDigits(c) : String.valueOf(c));
                run = k + 1;
            }
        }
        into.append(text, run, text.length()).append('"');
    }

    private static boolean isPaired(CharSequence text, int k) {
        char c = text.charAt(k);
        return Character.isHighSurrogate(c)
                ? k + 1 < text.length() && Character.isLowSurrogate(text.charAt(k + 1))
                : k > 0 && Character.isHighSurrogate(text.charAt(k - 1));
    }
}

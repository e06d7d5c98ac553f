package dev.sluice.deliver;

/** Writes texts into JSON. */
public final class JsonText {
    private static final char FIRST_PRINTABLE = 0x20;

    private JsonText() {}

    /** Appends the text in quotes. Half a surrogate pair, which UTF-8 cannot carry, is written as an escape. */
    public static void quote(CharSequence text, StringBuilder into) {
        into.append('"');
        for (int k = 0; k < text.length(); k++) {
            char c = text.charAt(k);
            if (c == '"' || c == '\\') {
                into.append('\\').append(c);
            } else if (c < FIRST_PRINTABLE || Character.isSurrogate(c) && !isPaired(text, k)) {
                into.append(String.format("\\u%04x", (int) c));
            } else {
                into.append(c);
            }
        }
        into.append('"');
    }

    private static boolean isPaired(CharSequence text, int k) {
        char c = text.charAt(k);
        return Character.isHighSurrogate(c)
                ? k + 1 < text.length() && Character.isLowSurrogate(text.charAt(k + 1))
                : k > 0 && Character.isHighSurrogate(text.charAt(k - 1));
    }
}

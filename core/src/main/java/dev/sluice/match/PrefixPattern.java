package dev.sluice.match;

import dev.sluice.model.InvalidInputException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The one kind of regular expression a filter may hold: {@code ^} and then text taken literally. Anything else could
 * neither be indexed nor be bounded in time.
 *
 * @param prefix the text, in UTF-8
 * @param source the pattern as a BSON regular expression (its type, then its value): stored patterns equal to it match too
 */
@SuppressWarnings("ArrayRecordComponent") // compared by content below
record PrefixPattern(byte[] prefix, byte[] source) {
    private static final String SPECIAL = "\\^$.|?*+()[]{}";

    static PrefixPattern of(String regex, String options) {
        if (!options.isEmpty()) {
            throw new InvalidInputException("a $regex in a filter takes no options, not "
                    + InvalidInputException.quote(options) + ": only an anchored prefix can be watched");
        }
        byte[] pattern = (regex + "\0\0").getBytes(StandardCharsets.UTF_8);
        byte[] source = new byte[1 + pattern.length];
        source[0] = RawValues.REGEX;
        System.arraycopy(pattern, 0, source, 1, pattern.length);
        return new PrefixPattern(literal(regex).getBytes(StandardCharsets.UTF_8), source);
    }

    private static String literal(String regex) {
        StringBuilder text = new StringBuilder();
        boolean valid = regex.startsWith("^") && regex.indexOf('\0') < 0;
        for (int k = 1; valid && k < regex.length(); k++) {
            char c = regex.charAt(k);
            if (c == '\\' && k + 1 < regex.length()) {
                c = regex.charAt(++k);
                valid = c < 0x80 && !Character.isLetterOrDigit(c);
            } else {
                valid = SPECIAL.indexOf(c) < 0;
            }
            text.append(c);
        }
        if (!valid) {
            throw new InvalidInputException(
                    "a $regex in a filter is an anchored prefix such as \"^abc\" (special characters escaped by \\), not "
                            + InvalidInputException.quote(regex));
        }
        return text.toString();
    }

    boolean matches(byte[] bytes, int type, int at) {
        if (RawValues.isText(type)) {
            int length = prefix.length;
            return RawValues.textLength(bytes, at) >= length
                    && Arrays.equals(bytes, at + 4, at + 4 + length, prefix, 0, length);
        }
        return type == RawValues.REGEX && ValueOrder.compare(bytes, type, at, source, RawValues.REGEX, 1) == 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PrefixPattern that && Arrays.equals(source, that.source);
    }

    @Override
    public int hashCode() {
        return ValueHash.ofBytes(source);
    }

    @Override
    public String toString() {
        return new String(source, 1, source.length - 3, StandardCharsets.UTF_8);
    }
}

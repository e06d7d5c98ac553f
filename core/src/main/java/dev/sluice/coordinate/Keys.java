package dev.sluice.coordinate;

import dev.sluice.model.InvalidInputException;
import java.util.regex.Pattern;

/** Which keys every store takes. */
public final class Keys {
    private static final String SEGMENT = "[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}";
    private static final Pattern KEY = Pattern.compile(SEGMENT + "(/" + SEGMENT + "){0,15}");
    private static final Pattern PREFIX = Pattern.compile("(" + SEGMENT + "/){1,15}");

    private Keys() {}

    /** @throws InvalidInputException saying which keys are allowed */
    public static String check(String key) {
        if (!KEY.matcher(key).matches()) {
            throw new InvalidInputException(
                    "a key of the coordination store is segments of letters, digits, '_', '-' and"
                            + " '.', 1 to 128 of them and not beginning with '.', with '/' between, not \"" + key
                            + '"');
        }
        return key;
    }

    /** @throws InvalidInputException saying which prefixes are allowed */
    public static String checkPrefix(String prefix) {
        if (!PREFIX.matcher(prefix).matches()) {
            throw new InvalidInputException(
                    "a prefix of the coordination store is one or more segments, each with a '/' behind it, not \""
                            + prefix + '"');
        }
        return prefix;
    }
}

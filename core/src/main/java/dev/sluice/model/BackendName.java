package dev.sluice.model;

import java.util.regex.Pattern;

/**
 * The rule for a backend's name: it stands in progress markers, directory names and metric labels, so it is short
 * and plain.
 */
public final class BackendName {
    private static final Pattern ALLOWED = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}");

    private BackendName() {}

    public static boolean isValid(String name) {
        return ALLOWED.matcher(name).matches();
    }

    /** @throws InvalidInputException saying which names are allowed */
    public static String check(String name) {
        if (!isValid(name)) {
            throw new InvalidInputException("backend name " + InvalidInputException.quote(name)
                    + " is not 1 to 64 letters, digits, '_', '-' or '.', starting with a letter, digit or '_'");
        }
        return name;
    }
}

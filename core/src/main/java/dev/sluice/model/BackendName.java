package dev.sluice.model;

/**
 * The rule for a backend's name: it stands in progress markers, directory names and metric labels, so it is short
 * and plain.
 */
public final class BackendName {
    private static final int MAX_LENGTH = 64;

    private BackendName() {}

    public static boolean isValid(String name) {
        boolean valid = !name.isEmpty() && name.length() <= MAX_LENGTH && isPlain(name.charAt(0));
        for (int k = 1; k < name.length() && valid; k++) {
            char c = name.charAt(k);
            valid = isPlain(c) || c == '.' || c == '-';
        }
        return valid;
    }

    private static boolean isPlain(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_';
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

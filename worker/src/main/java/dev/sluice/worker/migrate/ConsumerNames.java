package dev.sluice.worker.migrate;

import dev.sluice.model.InvalidInputException;
import java.util.regex.Pattern;

/**
 * Which consumers of a stream belong to another program: those whose names match a pattern such as {@code
 * billing-{partition}}. The partition of a consumer follows from its filter; the pattern only chooses.
 */
record ConsumerNames(String prefix, Pattern pattern) {
    private static final String PARTITION = "{partition}";

    static ConsumerNames of(String pattern) {
        int at = pattern.indexOf(PARTITION);
        if (at < 0 || pattern.indexOf(PARTITION, at + 1) >= 0) {
            throw new InvalidInputException("the names of the consumers need " + PARTITION
                    + " once, where they differ, as in billing-{partition}, not "
                    + InvalidInputException.quote(pattern));
        }
        String prefix = pattern.substring(0, at);
        String suffix = pattern.substring(at + PARTITION.length());
        return new ConsumerNames(prefix, Pattern.compile(Pattern.quote(prefix) + ".+" + Pattern.quote(suffix)));
    }

    boolean matches(String name) {
        return pattern.matcher(name).matches();
    }
}

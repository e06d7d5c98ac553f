package dev.sluice.server.config.yaml;

import java.util.Comparator;

/**
 * One thing wrong, or worth a warning, in a configuration file. The message is one sentence that says what to do; it
 * never holds a secret.
 *
 * @param line counted from one; 0 when the problem concerns the file as a whole
 * @param key the full path, such as {@code puller.backends[0].name}; empty for the file as a whole
 */
public record Problem(int line, String key, String message) {

    /** In the order a person reads the file. */
    public static final Comparator<Problem> BY_LINE =
            Comparator.comparingInt(Problem::line).thenComparing(Problem::key).thenComparing(Problem::message);

    /** The way compilers say it, so that editors can jump there. */
    public String describe(String file) {
        var where = line > 0 ? file + ":" + line : file;
        return key.isEmpty() ? where + ": " + message : where + ": " + key + ": " + message;
    }
}

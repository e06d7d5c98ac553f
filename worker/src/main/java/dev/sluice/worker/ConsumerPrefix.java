package dev.sluice.worker;

/**
 * The rule for consumer prefixes. A prefix names the group, begins the name of each of its consumers, and is a token of the
 * subjects of its dead letters: so NATS allows neither dots nor wildcards in it.
 */
public final class ConsumerPrefix {
    /** The rule in words, to follow the name of a setting. */
    public static final String RULE =
            "must be 1 to 64 letters, digits, _ or -, because NATS names consumers and subjects after it";

    private ConsumerPrefix() {}

    public static boolean isValid(String prefix) {
        return prefix.matches("[A-Za-z0-9_-]{1,64}");
    }
}

package dev.sluice.coordinate;

import dev.sluice.model.InvalidInputException;
import java.time.Duration;
import java.util.regex.Pattern;

/** Which keys, values and lifetimes every store takes; each refuses the same. */
public final class Keys {
    private static final String SEGMENT = "[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}";
    private static final Pattern KEY = Pattern.compile(SEGMENT + "(/" + SEGMENT + "){0,15}");
    private static final Pattern PREFIX = Pattern.compile("(" + SEGMENT + "/){1,15}");

    private static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

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

    /** @throws InvalidInputException when it is larger than {@link CoordinationStore#MAX_VALUE} */
    public static byte[] checkValue(byte[] value) {
        if (value.length > CoordinationStore.MAX_VALUE) {
            throw new InvalidInputException("a value of the coordination store has at most "
                    + CoordinationStore.MAX_VALUE + " bytes, not " + value.length + ": keep large things elsewhere");
        }
        return value;
    }

    /** @throws InvalidInputException when it is too short to be renewed in time */
    public static Duration checkLifetime(Duration ttl) {
        if (ttl.compareTo(SHORTEST_LEASE) < 0) {
            throw new InvalidInputException("a lease lives at least " + SHORTEST_LEASE.toMillis() + " ms, not " + ttl);
        }
        return ttl;
    }
}

package dev.sluice.server.config.yaml;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How a record validates itself: state every rule, then {@link #enforce()}, so that all broken rules are reported at
 * once. Components are named as in the record; those of a record inside it with a dot.
 */
public final class Rules {

    private final List<InvalidSettings.Violation> broken = new ArrayList<>();

    /** @param components what the rule was decided from; a violation is reported at the first */
    public Rules require(boolean holds, String message, String... components) {
        if (!holds) {
            broken.add(new InvalidSettings.Violation(List.of(components), message));
        }
        return this;
    }

    public Rules atLeast(long least, long value, String component) {
        return require(value >= least, "must be at least " + least + ", is " + value, component);
    }

    public Rules between(long least, long most, long value, String component) {
        return require(
                value >= least && value <= most,
                "must be between " + least + " and " + most + ", is " + value,
                component);
    }

    public Rules positive(Duration value, String component) {
        return require(value.isPositive(), "must be longer than 0s", component);
    }

    public Rules positive(DataSize value, String component) {
        return require(value.bytes() > 0, "must be more than 0", component);
    }

    public Rules notBlank(String value, String component) {
        return require(!value.isBlank(), "must not be empty", component);
    }

    /** Of a member of a cluster; none at all means that it gets a random one. */
    public Rules nodeName(Optional<String> value, String component) {
        return require(
                value.isEmpty() || !value.get().isBlank() && !value.get().startsWith("#{"),
                "must be a name: not blank, and not a #{...} expression, which nobody evaluates here",
                component);
    }

    public Rules httpPath(String value, String component) {
        return require(
                value.startsWith("/") && value.chars().noneMatch(c -> c <= ' ' || c == '?' || c == '#'),
                "must start with / and hold no spaces, ? or #, as in /health",
                component);
    }

    /** @throws InvalidSettings naming every rule that does not hold */
    public void enforce() {
        if (!broken.isEmpty()) {
            throw new InvalidSettings(broken);
        }
    }
}

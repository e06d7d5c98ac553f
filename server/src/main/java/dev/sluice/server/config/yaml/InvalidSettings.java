package dev.sluice.server.config.yaml;

import java.util.List;

/** A record refuses its values. Thrown by {@link Rules#enforce}; the binder turns it into problems with lines. */
public final class InvalidSettings extends IllegalArgumentException {

    private final transient List<Violation> violations;

    InvalidSettings(List<Violation> violations) {
        super(violations.stream()
                .map(Violation::message)
                .reduce((a, b) -> a + "; " + b)
                .orElse(""));
        this.violations = List.copyOf(violations);
    }

    List<Violation> violations() {
        return violations;
    }

    /**
     * One broken rule.
     *
     * @param components the record components it was decided from; it is reported at the first
     */
    record Violation(List<String> components, String message) {}
}

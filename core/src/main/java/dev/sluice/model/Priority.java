package dev.sluice.model;

import java.util.Locale;

/** How urgent the matches of a subscription are. Under pressure the low class falls behind first. */
public enum Priority {
    HIGH,
    NORMAL,
    LOW;

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Priority parse(String text) {
        for (Priority priority : values()) {
            if (priority.text().equals(text)) {
                return priority;
            }
        }
        throw new InvalidInputException(
                "priority " + InvalidInputException.quote(text) + " is not one of high, normal, low");
    }
}

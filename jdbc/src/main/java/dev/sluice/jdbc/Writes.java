package dev.sluice.jdbc;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Keys;
import dev.sluice.model.InvalidInputException;

/** What may be written. */
final class Writes {
    private Writes() {}

    /** @throws InvalidInputException saying what may be written */
    static void check(String key, byte[] value) {
        Keys.check(key);
        if (value.length > CoordinationStore.MAX_VALUE) {
            throw new InvalidInputException("a value of the coordination store has at most "
                    + CoordinationStore.MAX_VALUE + " bytes; that of " + key + " has " + value.length);
        }
    }
}

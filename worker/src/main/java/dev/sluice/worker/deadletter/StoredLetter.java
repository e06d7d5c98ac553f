package dev.sluice.worker.deadletter;

import java.time.Instant;

/**
 * A dead letter as it is kept.
 *
 * @param position its place in the list
 */
public record StoredLetter(DeadLetter letter, long position, Instant storedAt) {
    public LetterId id() {
        return letter.id();
    }
}

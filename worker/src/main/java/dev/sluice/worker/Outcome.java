package dev.sluice.worker;

/** What became of a message. Anything a handler throws counts as {@link Retry}. */
public sealed interface Outcome {
    /** Handled: it is acknowledged and the next one of its partition follows. */
    record Done() implements Outcome {}

    /** Not handled: it is tried again after a pause, and kept as a dead letter after the last attempt. */
    record Retry(String reason) implements Outcome {}

    /**
     * Not handled because something else is away, such as the server the handler writes to: it is tried again after a pause,
     * as often as it takes. It does not count as an attempt, so an outage makes no dead letters.
     */
    record Later(String reason) implements Outcome {}

    /** Never to be handled: it is kept as a dead letter at once. */
    record Reject(String reason) implements Outcome {}

    Done DONE = new Done();

    static Outcome done() {
        return DONE;
    }

    static Outcome retry(String reason) {
        return new Retry(reason);
    }

    static Outcome later(String reason) {
        return new Later(reason);
    }

    static Outcome reject(String reason) {
        return new Reject(reason);
    }
}

package dev.sluice.worker;

/** What became of a message. Anything a handler throws counts as {@link Retry}. */
public sealed interface Outcome {
    /** Handled: it is acknowledged and the next one of its partition follows. */
    record Done() implements Outcome {}

    /** Not handled: it is tried again after a pause, and kept as a dead letter after the last attempt. */
    record Retry(String reason) implements Outcome {}

    /** Never to be handled: it is kept as a dead letter at once. */
    record Reject(String reason) implements Outcome {}

    Done DONE = new Done();

    static Outcome done() {
        return DONE;
    }

    static Outcome retry(String reason) {
        return new Retry(reason);
    }

    static Outcome reject(String reason) {
        return new Reject(reason);
    }
}

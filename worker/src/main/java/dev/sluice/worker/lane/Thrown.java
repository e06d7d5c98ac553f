package dev.sluice.worker.lane;

/** Throws whatever was caught, checked or not. */
final class Thrown {
    private Thrown() {}

    static RuntimeException unchecked(Throwable thrown) {
        if (thrown instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        return new IllegalStateException(thrown);
    }
}

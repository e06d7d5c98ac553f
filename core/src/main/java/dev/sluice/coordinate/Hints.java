package dev.sluice.coordinate;

/**
 * How much the next round has to read: whatever wakes it says what may have changed, and the most of it counts. Any thread
 * may hint.
 */
final class Hints {
    /** In order: each also covers the ones before. */
    enum Look {
        /** Nothing is read: a slot has ended, or the round was woken for nothing. */
        KNOWN,
        /** The assignment has changed. */
        ASSIGNMENT,
        /** Anything may have. */
        ALL
    }

    private final Clockwork.Signal wake;
    private Look most = Look.ALL;

    Hints(Clockwork.Signal wake) {
        this.wake = wake;
    }

    void hint(Look look) {
        synchronized (this) {
            most = look.compareTo(most) > 0 ? look : most;
        }
        wake.raise();
    }

    synchronized Look take() {
        Look taken = most;
        most = Look.KNOWN;
        return taken;
    }

    /** For the next round, which comes by itself. */
    synchronized void putBack(Look look) {
        most = look.compareTo(most) > 0 ? look : most;
    }
}

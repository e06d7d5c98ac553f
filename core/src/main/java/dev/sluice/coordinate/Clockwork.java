package dev.sluice.coordinate;

import java.time.Duration;

/**
 * Elapsed time, threads and waiting: all that the logic of a group knows of them, so that a simulation can take their
 * place. Everything else that blocks is a call of the store, and no lock is ever held over either.
 */
public interface Clockwork {
    /** As {@link System#nanoTime()}: only differences mean something. */
    long nanos();

    /** Runs the body on a thread of its own. */
    void start(String name, Runnable body);

    Signal signal();

    /** Whether a thread that met this may go on; not in a simulation whose process has just crashed. */
    default boolean goesOnAfter(Throwable failure) {
        return true;
    }

    /** Interrupts a thread that {@link #start} has started; a simulation has none to interrupt. */
    default void interrupt(Thread thread) {
        thread.interrupt();
    }

    /** Wakes whoever waits, or will wait next; several raises make one wake-up. */
    interface Signal {
        void raise();

        /** Returns when raised, when it had been raised since the last return, or when the time is over. */
        void await(Duration atMost);
    }
}

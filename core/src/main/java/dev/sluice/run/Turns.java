package dev.sluice.run;

import java.time.Duration;
import java.time.Instant;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Time and threads, all that routing knows of them, so that a simulation can take their place. No lock of this package is
 * held while a step, a task or anything that waits is running.
 */
public interface Turns {
    /** As {@link System#nanoTime()}. */
    long nanos();

    Instant now();

    /** What delays differ by. */
    RandomGenerator random();

    /** Steps over and over on a thread of its own, until it is stopped or the step is at its end. */
    Loop loop(String name, Step step);

    /** The same on a few threads that all such loops share; its steps are short and do not wait. */
    Loop background(String name, Step step);

    /** Runs it once, after so long, on one of the shared threads. */
    void after(Duration delay, Runnable task);

    /** One bounded piece of work. */
    @FunctionalInterface
    interface Step {
        /** How long to pause; null: there will be no more work. */
        @Nullable
        Duration run();
    }

    /** A step that goes on. */
    interface Loop {
        /** Ends its pause. */
        void wake();

        /** No further step begins. Does not wait for the one that is running. */
        void stop();

        /** Whether no step is running, and none will. */
        boolean isOver();
    }
}

package dev.sluice.worker.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.random.RandomGenerator;

/** Time, timers and chance of the model's server. */
interface ModelTime {
    /** As {@link System#nanoTime()}: only differences mean something. */
    long nanos();

    Instant instant();

    /** Runs a timer of the server. */
    void after(Duration delay, String what, Runnable timer);

    RandomGenerator random();
}

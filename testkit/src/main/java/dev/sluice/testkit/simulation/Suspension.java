package dev.sluice.testkit.simulation;

import java.time.Duration;

/**
 * One wait of the fiber that makes it. Whoever is to end it plans that before {@link #await} is called; it ends once, in an
 * event of its node: so not while that is paused, and never when it has crashed.
 */
public final class Suspension {
    private final Simulation simulation;
    private final Fiber fiber;
    private boolean over;

    Suspension(Simulation simulation, Fiber fiber) {
        this.simulation = simulation;
        this.fiber = fiber;
    }

    /** Plans its end; {@code before} runs just before the fiber goes on, unless it has gone on already. */
    public void endAfter(Duration delay, String what, Runnable before) {
        simulation.schedule(delay, fiber.node(), fiber.life(), what, () -> {
            if (!over) {
                over = true;
                before.run();
                fiber.resume();
            }
        });
    }

    public void endAfter(Duration delay, String what) {
        endAfter(delay, what, () -> {});
    }

    /** Ends it as soon as possible. */
    public void end(String what) {
        endAfter(Duration.ZERO, what);
    }

    public void await() {
        fiber.suspend();
    }
}

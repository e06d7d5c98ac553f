package dev.sluice.worker.simulation;

import dev.sluice.testkit.simulation.Node;
import dev.sluice.testkit.simulation.Simulation;
import java.time.Duration;
import java.time.Instant;
import java.util.random.RandomGenerator;

/** The time of a simulated server: its timers are the world's, and wait while it is down. */
record SimulatedTime(Simulation simulation, Node server) implements ModelTime {
    private static final Duration AGAIN = Duration.ofMillis(500);

    @Override
    public long nanos() {
        return simulation.clock().nanos();
    }

    @Override
    public Instant instant() {
        return simulation.clock().instant();
    }

    @Override
    public void after(Duration delay, String what, Runnable timer) {
        simulation.after(delay, what, () -> {
            if (server.isUp()) {
                timer.run();
            } else {
                after(AGAIN, what, timer);
            }
        });
    }

    @Override
    public RandomGenerator random() {
        return simulation.random();
    }
}

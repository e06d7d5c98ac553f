package dev.sluice.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The simulation earns its keep: it finds the bugs that are there, and none that are not. */
class LeasedCounterTest {

    @ParameterizedTest
    @EnumSource(
            value = LeasedCounter.Fence.class,
            names = {"NONE", "BY_WRITES"})
    void findsTheScheduleThatDefeatsAWeakFence(LeasedCounter.Fence fence) {
        Scenario scenario = new LeasedCounter(fence);
        SimulationFailure failure =
                catchThrowableOfType(SimulationFailure.class, () -> Simulation.explore(2_000, scenario));
        assertThat(failure).as("a schedule that loses an update").isNotNull();
        print("fence %s: seed %d loses an update", fence, failure.seed());
        assertThat(failure)
                .hasMessageContaining("Seed " + failure.seed() + " fails")
                .hasMessageContaining("\"no update is lost\" does not hold")
                .hasMessageContaining("Write[");
        assertThat(catchThrowableOfType(SimulationFailure.class, () -> Simulation.replay(failure.seed(), scenario)))
                .hasMessage(failure.getMessage());
    }

    @Test
    void theRightFenceHoldsInThousandsOfSchedules() {
        long start = System.nanoTime();
        long steps = Simulation.explore(3_000, new LeasedCounter(LeasedCounter.Fence.BY_READS_AND_WRITES));
        print("3000 schedules, %d steps in %d ms", steps, (System.nanoTime() - start) / 1_000_000);
        assertThat(steps).isGreaterThan(3_000 * 100);
    }

    @SuppressWarnings("SystemOut")
    private static void print(String format, Object... args) {
        System.out.printf(format + "%n", args);
    }
}

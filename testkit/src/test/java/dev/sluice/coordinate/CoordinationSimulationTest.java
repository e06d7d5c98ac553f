package dev.sluice.coordinate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.coordinate.CoordinatedCounters.Without;
import dev.sluice.testkit.simulation.Simulation;
import dev.sluice.testkit.simulation.SimulationFailure;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Order(1)
class CoordinationSimulationTest {
    private static final int SCHEDULES = Integer.getInteger("sluice.simulation.schedules", 2_000);

    @Test
    void oneOwnerAtATimeAndNoneForLongInThousandsOfSchedules() {
        long start = System.nanoTime();
        CoordinatedCounters scenario = new CoordinatedCounters(Without.NOTHING);
        long steps = Simulation.explore(SCHEDULES, scenario);
        print("%d schedules, %d steps in %d ms", SCHEDULES, steps, (System.nanoTime() - start) / 1_000_000);
        print("%s", scenario.tally());
        assertThat(scenario.tally())
                .as("the schedules get to where it hurts")
                .allSatisfy((what, times) -> assertThat(times).as(what).isPositive());
    }

    @ParameterizedTest
    @EnumSource(value = Without.class, mode = EnumSource.Mode.EXCLUDE, names = "NOTHING")
    void takenAwayItIsMissed(Without without) {
        CoordinatedCounters scenario = new CoordinatedCounters(without);
        SimulationFailure failure =
                catchThrowableOfType(SimulationFailure.class, () -> Simulation.explore(2_000, scenario));
        assertThat(failure)
                .as("a schedule that breaks a promise without %s", without)
                .isNotNull();
        print(
                "without %s: %s",
                without, failure.getMessage().lines().findFirst().orElse(""));
    }

    @SuppressWarnings("SystemOut")
    private static void print(String format, Object... args) {
        System.out.printf(format + "%n", args);
    }
}

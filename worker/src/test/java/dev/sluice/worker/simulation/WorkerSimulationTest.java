package dev.sluice.worker.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.sluice.testkit.simulation.Simulation;
import dev.sluice.testkit.simulation.SimulationFailure;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.stream.StreamState.Retention;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

class WorkerSimulationTest {
    private static final int SCHEDULES_OF_THE_DRAFT = 5;
    private static final Logger LOG = (Logger) LoggerFactory.getLogger("dev.sluice");
    private static @Nullable Level levelBefore;

    /** A simulated life is full of losses. */
    @BeforeAll
    static void silence() {
        levelBefore = LOG.getLevel();
        LOG.setLevel(Level.OFF);
    }

    @AfterAll
    static void speak() {
        LOG.setLevel(levelBefore);
    }

    /** A test of the test: the handoff of the first draft loses and reorders, and the simulation says so. */
    @ParameterizedTest
    @EnumSource(Retention.class)
    void theDraftsHandoffLosesAndReorders(Retention retention) {
        WorkerSimulation counted = new WorkerSimulation(retention, ConsumerMode.PER_WORKER, DraftEngine::new, false);
        Simulation.explore(SCHEDULES_OF_THE_DRAFT, counted);
        print("the draft on %s: %s", retention, counted.tally());
        assertThat(counted.tally().get("lost")).as("lost").isPositive();
        assertThat(counted.tally().get("reordered")).as("reordered").isPositive();
        WorkerSimulation strict = new WorkerSimulation(retention, ConsumerMode.PER_WORKER, DraftEngine::new, true);
        SimulationFailure failure =
                catchThrowableOfType(SimulationFailure.class, () -> Simulation.explore(SCHEDULES_OF_THE_DRAFT, strict));
        assertThat(failure).as("a schedule that fails").isNotNull();
        print("%s", failure.getMessage().lines().findFirst().orElse(""));
    }

    @SuppressWarnings("SystemOut")
    private static void print(String format, Object... args) {
        System.out.printf(format + "%n", args);
    }
}

package dev.sluice.worker.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.sluice.testkit.simulation.Simulation;
import dev.sluice.testkit.simulation.SimulationFailure;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.stream.StreamState.Retention;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

class WorkerSimulationTest {
    private static final int SCHEDULES = Integer.getInteger("sluice.worker.schedules", 15);
    private static final int SCHEDULES_OF_THE_DRAFT = 3;
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

    /**
     * By hand: {@code -Dsluice.worker.schedules=2000 -Dsluice.worker.first=5000}; a single one again by {@code
     * -Dsluice.worker.seed=17 -Dsluice.worker.only=LIMITS/PER_WORKER}.
     */
    @ParameterizedTest
    @CsvSource({
        "LIMITS, PER_WORKER",
        "LIMITS, PER_PARTITION",
        "WORK_QUEUE, PER_WORKER",
        "WORK_QUEUE, PER_PARTITION",
        "INTEREST, PER_WORKER",
        "INTEREST, PER_PARTITION"
    })
    void nothingIsLostAndNothingIsReordered(Retention retention, ConsumerMode mode) {
        String combination = retention + "/" + mode;
        assumeThat(combination).contains(System.getProperty("sluice.worker.only", ""));
        explore(combination, SCHEDULES, new WorkerSimulation(retention, mode, RealEngine::start, true));
    }

    /** Each life of a process has either mode: what a rolling change of the mode, and any half of one, comes to. */
    @ParameterizedTest
    @EnumSource(Retention.class)
    void nothingIsLostWhileWorkersOfBothModesShareTheGroup(Retention retention) {
        String combination = retention + "/MIXED";
        assumeThat(combination).contains(System.getProperty("sluice.worker.only", ""));
        explore(
                combination,
                Math.max(1, SCHEDULES / 3),
                new WorkerSimulation(retention, ConsumerMode.PER_WORKER, RealEngine::startInEitherMode, true));
    }

    /** An operator starts, aborts and forgets migrations: workers change their mode while they handle, with and without shadows. */
    @ParameterizedTest
    @EnumSource(Retention.class)
    void nothingIsLostWhileTheGroupMigratesFromModeToMode(Retention retention) {
        String combination = retention + "/MIGRATING";
        assumeThat(combination).contains(System.getProperty("sluice.worker.only", ""));
        WorkerSimulation simulation =
                new WorkerSimulation(retention, ConsumerMode.PER_WORKER, RealEngine::startInEitherMode, true, true);
        explore(combination, Math.max(1, SCHEDULES / 3), simulation);
        if (SCHEDULES >= 300 && Long.getLong("sluice.worker.seed") == null) {
            assertThat(simulation.tally()).containsKeys(MigratingOperator.DONE, MigratingOperator.ROLLED_BACK);
        }
    }

    private static void explore(String combination, int most, WorkerSimulation simulation) {
        long start = System.nanoTime();
        long first = Long.getLong("sluice.worker.seed", Long.getLong("sluice.worker.first", 0));
        int schedules = Long.getLong("sluice.worker.seed") == null ? most : 1;
        long steps = Simulation.explore(LongStream.range(first, first + schedules), simulation);
        print(
                "%s: %d schedules from %d, %d steps in %d ms: %s",
                combination, schedules, first, steps, (System.nanoTime() - start) / 1_000_000, simulation.tally());
    }

    @SuppressWarnings("SystemOut")
    private static void print(String format, Object... args) {
        System.out.printf(format + "%n", args);
    }
}

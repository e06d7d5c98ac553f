package dev.sluice.worker.migrate;

import static dev.sluice.worker.WorkerSettings.ConsumerMode.PER_PARTITION;
import static dev.sluice.worker.WorkerSettings.ConsumerMode.PER_WORKER;
import static dev.sluice.worker.migrate.Migration.Phase.BURN_IN;
import static dev.sluice.worker.migrate.Migration.Phase.DONE;
import static dev.sluice.worker.migrate.Migration.Phase.ROLLED_BACK;
import static dev.sluice.worker.migrate.Migration.Phase.SHADOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.InvalidInputException;
import dev.sluice.worker.migrate.Migration.Phase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class MigrationTest {
    private static final MigrationLimits LIMITS =
            new MigrationLimits(Duration.ofSeconds(10), 3, 2, Duration.ofSeconds(60), 100, 3);
    private static final List<String> LIVING = List.of("w0", "w1");
    private static final long START = 1_000_000;

    private static Migration in(Phase phase) {
        return new Migration(7, PER_WORKER, PER_PARTITION, phase, START, LIMITS, "");
    }

    private static WindowReport report(Phase phase, int good, int bad) {
        return new WindowReport(7, phase, good, bad, bad > 0 ? "lag" : "");
    }

    private static Phase next(Phase phase, long seconds, WindowReport first, WindowReport second) {
        return in(phase)
                .next(LIVING, Map.of("w0", first, "w1", second), START + seconds * 1_000)
                .phase();
    }

    @Test
    void onlyALimitsStreamBeginsWithAShadow() {
        assertThat(Migration.start(1, PER_WORKER, PER_PARTITION, true, LIMITS, START)
                        .phase())
                .isEqualTo(SHADOW);
        assertThat(Migration.start(1, PER_WORKER, PER_PARTITION, false, LIMITS, START)
                        .phase())
                .isEqualTo(BURN_IN);
    }

    @Test
    void thePhaseDecidesTheMode() {
        assertThat(in(SHADOW).mode()).isEqualTo(PER_WORKER);
        assertThat(in(BURN_IN).mode()).isEqualTo(PER_PARTITION);
        assertThat(in(DONE).mode()).isEqualTo(PER_PARTITION);
        assertThat(in(ROLLED_BACK).mode()).isEqualTo(PER_WORKER);
    }

    /** Good and bad windows in a row of both workers, time in the phase, and what becomes of it; the limits are 3, 2 and 60 s. */
    @ParameterizedTest
    @CsvSource({
        "SHADOW, 3, 0, 3, 0, 0, BURN_IN",
        "SHADOW, 9, 0, 3, 0, 0, BURN_IN",
        "SHADOW, 9, 0, 2, 0, 1000, SHADOW",
        "SHADOW, 0, 1, 9, 0, 1000, SHADOW",
        "SHADOW, 0, 2, 9, 0, 0, ROLLED_BACK",
        "SHADOW, 9, 0, 0, 5, 0, ROLLED_BACK",
        "SHADOW, 0, 0, 0, 0, 1000, SHADOW",
        "BURN_IN, 1, 0, 1, 0, 60, DONE",
        "BURN_IN, 99, 0, 99, 0, 59, BURN_IN",
        "BURN_IN, 9, 0, 0, 1, 60, BURN_IN",
        "BURN_IN, 0, 0, 9, 0, 60, BURN_IN",
        "BURN_IN, 9, 0, 0, 2, 1, ROLLED_BACK",
        "BURN_IN, 9, 0, 0, 2, 1000, ROLLED_BACK",
        "DONE, 0, 9, 0, 9, 1000, DONE",
        "ROLLED_BACK, 9, 0, 9, 0, 1000, ROLLED_BACK"
    })
    void theNextPhaseFollowsTheWindowsOfAllWorkers(
            Phase phase, int good0, int bad0, int good1, int bad1, long seconds, Phase expected) {
        assertThat(next(phase, seconds, report(phase, good0, bad0), report(phase, good1, bad1)))
                .isEqualTo(expected);
        assertThat(next(phase, seconds, report(phase, good1, bad1), report(phase, good0, bad0)))
                .isEqualTo(expected);
    }

    @Test
    void aWorkerWithoutAReportIsWaitedFor() {
        assertThat(in(SHADOW).next(LIVING, Map.of("w0", report(SHADOW, 9, 0)), START))
                .isEqualTo(in(SHADOW));
        assertThat(in(BURN_IN).next(LIVING, Map.of("w0", report(BURN_IN, 9, 0)), START + 1_000_000))
                .isEqualTo(in(BURN_IN));
    }

    @Test
    void reportsOfTheDeadAndOfOtherPhasesAndMigrationsDoNotCount() {
        var dead = Map.of("w0", report(SHADOW, 3, 0), "w1", report(SHADOW, 3, 0), "w9", report(SHADOW, 0, 9));
        assertThat(in(SHADOW).next(LIVING, dead, START).phase()).isEqualTo(BURN_IN);
        assertThat(next(BURN_IN, 99, report(SHADOW, 0, 9), report(BURN_IN, 9, 0)))
                .isEqualTo(BURN_IN);
        assertThat(next(SHADOW, 99, new WindowReport(6, SHADOW, 0, 9, "x"), report(SHADOW, 9, 0)))
                .isEqualTo(SHADOW);
        assertThat(in(SHADOW).next(List.of(), dead, START).phase()).isEqualTo(SHADOW);
    }

    @Test
    void aPhaseBeginsWhenItIsWrittenAndARollbackNamesItsReason() {
        Migration switched =
                in(SHADOW).next(LIVING, Map.of("w0", report(SHADOW, 3, 0), "w1", report(SHADOW, 3, 0)), START + 5_000);
        assertThat(switched.since()).isEqualTo(START + 5_000);
        Migration back =
                in(BURN_IN).next(LIVING, Map.of("w0", report(BURN_IN, 3, 0), "w1", report(BURN_IN, 0, 2)), START);
        assertThat(back.reason()).isEqualTo("worker w1 has 2 bad windows in a row: lag");
        assertThat(back.sentence()).contains("per-worker to per-partition: rolled-back, worker w1");
    }

    @ParameterizedTest
    @EnumSource
    void abortEndsWhatRunsAndNothingElse(Phase phase) {
        Migration aborted = in(phase).aborted(START + 1);
        assertThat(aborted.phase()).isEqualTo(in(phase).isRunning() ? ROLLED_BACK : phase);
        assertThat(aborted.reason().isEmpty()).isEqualTo(!in(phase).isRunning());
    }

    @Test
    void theWindowsOfAWorkerAreCountedInARow() {
        WindowReport report = WindowReport.none(in(SHADOW)).after("").after("");
        assertThat(report).isEqualTo(report(SHADOW, 2, 0));
        assertThat(report.after("lag").after("lag")).isEqualTo(report(SHADOW, 0, 2));
        assertThat(report.after("lag").after("")).isEqualTo(report(SHADOW, 1, 0));
        assertThat(report.after("x".repeat(10_000)).text()).hasSize(500);
    }

    @ParameterizedTest
    @EnumSource
    void bothAreStoredWhole(Phase phase) {
        Migration migration = in(phase).aborted(START);
        assertThat(Migration.of(migration.toDocument())).isEqualTo(migration);
        WindowReport report = report(phase, 0, 3);
        assertThat(WindowReport.of(report.toDocument())).isEqualTo(report);
    }

    @Test
    void limitsThatCannotWorkAreRefused() {
        Duration second = Duration.ofSeconds(1);
        Duration long9 = Duration.ofMinutes(9);
        assertThatThrownBy(() -> new MigrationLimits(Duration.ofSeconds(30), 3, 3, Duration.ofSeconds(80), 10_000, 3))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("burn_in (PT1M20S) must last at least bad_windows times window (PT1M30S)");
        assertThatThrownBy(() -> new MigrationLimits(Duration.ZERO, 3, 3, long9, 10_000, 3))
                .hasMessageContaining("window must");
        assertThatThrownBy(() -> new MigrationLimits(second, 0, 3, long9, 1, 3)).hasMessageContaining("windows");
        assertThatThrownBy(() -> new MigrationLimits(second, 1, 0, long9, 1, 3)).hasMessageContaining("bad_windows");
        assertThatThrownBy(() -> new MigrationLimits(second, 1, 1, long9, -1, 3))
                .hasMessageContaining("max_lag");
        assertThatThrownBy(() -> new MigrationLimits(second, 1, 1, long9, 1, 101))
                .hasMessageContaining("max_redelivered");
    }
}

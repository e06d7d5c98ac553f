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
    private static final Map<String, Integer> NONE_MISSED = Map.of("w0", 0, "w1", 0);
    private static final long START = 1_000_000;

    private static Migration in(Phase phase) {
        return new Migration(7, PER_WORKER, PER_PARTITION, phase, START, LIMITS, "");
    }

    private static WindowReport report(Phase phase, int good, int bad) {
        return report(phase, good + bad, good, bad);
    }

    private static WindowReport report(Phase phase, int window, int good, int bad) {
        int sinceGood = good > 0 ? 0 : window;
        return new WindowReport(7, phase, "life", window, good, bad, 0, sinceGood, bad > 0 ? "lag" : "");
    }

    private static Phase next(Phase phase, WindowReport first, WindowReport second) {
        return next(in(phase), Map.of("w0", first, "w1", second)).phase();
    }

    private static Migration next(Migration migration, Map<String, WindowReport> reports) {
        return migration.next(LIVING, reports, NONE_MISSED, START + 5_000);
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

    /**
     * Good and bad windows in a row of both workers, and what becomes of it: 3 good ones are needed in the shadow, 6 in the
     * burn-in, and 2 bad ones bring the old mode back.
     */
    @ParameterizedTest
    @CsvSource({
        "SHADOW, 3, 0, 3, 0, BURN_IN",
        "SHADOW, 9, 0, 3, 0, BURN_IN",
        "SHADOW, 9, 0, 2, 0, SHADOW",
        "SHADOW, 0, 1, 9, 0, SHADOW",
        "SHADOW, 0, 2, 9, 0, ROLLED_BACK",
        "SHADOW, 9, 0, 0, 5, ROLLED_BACK",
        "SHADOW, 0, 0, 0, 0, SHADOW",
        "BURN_IN, 6, 0, 6, 0, DONE",
        "BURN_IN, 99, 0, 5, 0, BURN_IN",
        "BURN_IN, 9, 0, 0, 1, BURN_IN",
        "BURN_IN, 0, 0, 9, 0, BURN_IN",
        "BURN_IN, 9, 0, 0, 2, ROLLED_BACK",
        "DONE, 0, 9, 0, 9, DONE",
        "ROLLED_BACK, 9, 0, 9, 0, ROLLED_BACK"
    })
    void theNextPhaseFollowsTheWindowsOfAllWorkers(
            Phase phase, int good0, int bad0, int good1, int bad1, Phase expected) {
        assertThat(next(phase, report(phase, good0, bad0), report(phase, good1, bad1)))
                .isEqualTo(expected);
        assertThat(next(phase, report(phase, good1, bad1), report(phase, good0, bad0)))
                .isEqualTo(expected);
    }

    @Test
    void aWorkerWithoutAReportIsWaitedFor() {
        assertThat(next(in(SHADOW), Map.of("w0", report(SHADOW, 9, 0)))).isEqualTo(in(SHADOW));
        assertThat(next(in(BURN_IN), Map.of("w0", report(BURN_IN, 9, 0)))).isEqualTo(in(BURN_IN));
    }

    /** Whether or not its last report was a good one, and also when it is of an earlier phase. */
    @Test
    void windowsWithoutAReportAreBad() {
        var reports = Map.of("w0", report(BURN_IN, 6, 0), "w1", report(BURN_IN, 6, 0));
        assertThat(in(BURN_IN).next(LIVING, reports, NONE_MISSED, START).phase())
                .isEqualTo(DONE);
        assertThat(in(BURN_IN)
                        .next(LIVING, reports, Map.of("w0", 0, "w1", 1), START)
                        .phase())
                .isEqualTo(BURN_IN);
        Migration back = in(BURN_IN).next(LIVING, reports, Map.of("w1", 2), START);
        assertThat(back.reason()).isEqualTo("worker w1 has 2 bad windows in a row: the worker reports nothing");
        var earlier = Map.of("w0", report(BURN_IN, 6, 0), "w1", report(SHADOW, 6, 0));
        assertThat(in(BURN_IN).next(LIVING, earlier, Map.of("w1", 2), START).phase())
                .isEqualTo(ROLLED_BACK);
    }

    /** Such as the worker of a leader that has just been elected: it may hang since its last report. */
    @Test
    void aWorkerWhoseReportMayBeAnOldOneIsWaitedForUnlessItIsBad() {
        var reports = Map.of("w0", report(SHADOW, 3, 0), "w1", report(SHADOW, 3, 0));
        assertThat(in(SHADOW).next(LIVING, reports, Map.of("w0", 0), START).phase())
                .isEqualTo(SHADOW);
        var bad = Map.of("w0", report(SHADOW, 3, 0), "w1", report(SHADOW, 0, 2));
        assertThat(in(SHADOW).next(LIVING, bad, Map.of("w0", 0), START).phase()).isEqualTo(ROLLED_BACK);
    }

    /** 2 + 10 windows that count for neither side, or are bad without being so in a row. */
    @Test
    void aComparisonThatComesToNothingIsGivenUpButABurnInIsNot() {
        WindowReport good = report(SHADOW, 99, 99, 0);
        assertThat(next(SHADOW, good, report(SHADOW, 11, 0, 0))).isEqualTo(SHADOW);
        assertThat(next(SHADOW, good, report(SHADOW, 12, 0, 0))).isEqualTo(ROLLED_BACK);
        assertThat(next(SHADOW, good, report(SHADOW, 12, 2, 0))).isEqualTo(SHADOW);
        assertThat(next(BURN_IN, report(BURN_IN, 6, 0), report(BURN_IN, 1_000, 0, 0)))
                .isEqualTo(BURN_IN);
    }

    @Test
    void reportsOfTheDeadAndOfOtherPhasesAndMigrationsDoNotCount() {
        var dead = Map.of("w0", report(SHADOW, 3, 0), "w1", report(SHADOW, 3, 0), "w9", report(SHADOW, 0, 9));
        assertThat(next(in(SHADOW), dead).phase()).isEqualTo(BURN_IN);
        assertThat(next(BURN_IN, report(SHADOW, 0, 9), report(BURN_IN, 9, 0))).isEqualTo(BURN_IN);
        assertThat(next(SHADOW, new WindowReport(6, SHADOW, "life", 9, 0, 9, 0, 9, "x"), report(SHADOW, 9, 0)))
                .isEqualTo(SHADOW);
        assertThat(in(SHADOW).next(List.of(), dead, NONE_MISSED, START).phase()).isEqualTo(SHADOW);
    }

    @Test
    void aPhaseBeginsWhenItIsWrittenAndARollbackNamesItsReason() {
        Migration switched = next(in(SHADOW), Map.of("w0", report(SHADOW, 3, 0), "w1", report(SHADOW, 3, 0)));
        assertThat(switched.since()).isEqualTo(START + 5_000);
        Migration back = next(in(BURN_IN), Map.of("w0", report(BURN_IN, 3, 0), "w1", report(BURN_IN, 0, 2)));
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
        WindowReport report =
                WindowReport.none(in(SHADOW), "life").after(Verdict.GOOD).after(Verdict.GOOD);
        Verdict bad = Verdict.bad("lag");
        assertThat(report).isEqualTo(report(SHADOW, 2, 2, 0));
        assertThat(report.after(bad).after(bad)).isEqualTo(new WindowReport(7, SHADOW, "life", 4, 0, 2, 0, 2, "lag"));
        assertThat(report.after(bad).after(Verdict.GOOD)).isEqualTo(report(SHADOW, 4, 1, 0));
        assertThat(report.after(Verdict.neutral("paused")).sentence())
                .isEqualTo("2 good windows in a row; the last window does not count: paused");
        WindowReport both = report.after(bad).after(Verdict.neutral("paused"));
        assertThat(both.bad()).isEqualTo(1);
        assertThat(both.sinceGood()).isEqualTo(2);
        assertThat(both.sentence()).isEqualTo("1 bad window: paused");
        assertThat(report.after(Verdict.bad("x".repeat(10_000))).text()).hasSize(500);
    }

    /** A restart may be planned, or another process has the id now. A worker that starts again and again may do so by the mode. */
    @Test
    void aNewLifeBeginsAnewAndTheNextOneWithoutAGoodWindowIsBad() {
        WindowReport report = report(SHADOW, 4, 0, 1);
        assertThat(report.in("life")).isEqualTo(report);
        WindowReport second = report.in("second");
        assertThat(second.window()).isEqualTo(5);
        assertThat(second.bad()).isZero();
        assertThat(second.in("third").bad()).isEqualTo(1);
        assertThat(second.in("third").in("fourth").bad()).isEqualTo(2);
        assertThat(second.after(Verdict.bad("lag")).in("third").bad()).isEqualTo(2);
        assertThat(second.after(Verdict.GOOD).in("third").bad()).isZero();
        assertThat(report(SHADOW, 4, 4, 0).in("second").good()).isZero();
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
                .hasMessageContaining("window is 100ms to 1d");
        Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
        assertThatThrownBy(() -> new MigrationLimits(endless, 3, 3, endless, 10_000, 3))
                .hasMessageContaining("window is 100ms to 1d");
        assertThatThrownBy(() -> new MigrationLimits(second, 3, 3, endless, 10_000, 3))
                .hasMessageContaining("burn_in is at most 30d");
        assertThatThrownBy(() -> new MigrationLimits(second, 10_001, 3, long9, 1, 3))
                .hasMessageContaining("windows is 1 to 10000");
        assertThatThrownBy(() -> new MigrationLimits(second, 1, Integer.MAX_VALUE, long9, 1, 3))
                .hasMessageContaining("bad_windows is 1 to 10000");
        assertThat(new MigrationLimits(Duration.ofMillis(700), 1, 1, second, 1, 3).burnInWindows())
                .isEqualTo(2);
        assertThatThrownBy(() -> new MigrationLimits(second, 0, 3, long9, 1, 3)).hasMessageContaining("windows");
        assertThatThrownBy(() -> new MigrationLimits(second, 1, 0, long9, 1, 3)).hasMessageContaining("bad_windows");
        assertThatThrownBy(() -> new MigrationLimits(second, 1, 1, long9, -1, 3))
                .hasMessageContaining("max_lag");
        assertThatThrownBy(() -> new MigrationLimits(second, 1, 1, long9, 1, 101))
                .hasMessageContaining("max_redelivered");
    }
}

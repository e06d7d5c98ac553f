package dev.sluice.worker.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.worker.migrate.Migration.Phase;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Windows of 30 s that may end 10 s late; the leader looks every second. */
class MissedReportsTest {
    /** Its report may be an old one. */
    private static final int UNKNOWN = -1;

    private final MissedReports missedReports = new MissedReports(Duration.ofSeconds(10));
    private final Map<String, WindowReport> reports = new HashMap<>();
    private long second = -7;

    private static WindowReport report(int window) {
        return new WindowReport(1, Phase.SHADOW, "life", window, window, 0, 0, 0, "");
    }

    private int missedAfter(int seconds) {
        int missed = 0;
        for (int i = 0; i < seconds; i++) {
            second++;
            missed = look();
        }
        return missed;
    }

    private int look() {
        long nanos = Duration.ofSeconds(second).toNanos();
        return missedReports
                .of(List.of("w0"), reports, Duration.ofSeconds(30), nanos)
                .getOrDefault("w0", UNKNOWN);
    }

    @Test
    void aWorkerThatReportsInTimeHasMissedNothing() {
        missedAfter(1);
        for (int window = 0; window < 5; window++) {
            reports.put("w0", report(window));
            assertThat(missedAfter(39)).isZero();
        }
    }

    @Test
    void windowsAreMissedFromTheLastReportOn() {
        reports.put("w0", report(3));
        assertThat(missedAfter(40)).isEqualTo(UNKNOWN);
        assertThat(missedAfter(1)).isEqualTo(1);
        assertThat(missedAfter(29)).isEqualTo(1);
        assertThat(missedAfter(1)).isEqualTo(2);
        reports.put("w0", report(4));
        assertThat(missedAfter(40)).isZero();
    }

    @Test
    void aWorkerThatNeverReportedMissesToo() {
        assertThat(missedAfter(40)).isEqualTo(UNKNOWN);
        assertThat(missedAfter(31)).isEqualTo(2);
    }

    /** The store did not answer: the others could not report either. */
    @Test
    void whatTheLeaderCouldNotSeeWasNotMissed() {
        reports.put("w0", report(3));
        missedAfter(35);
        second += 600;
        assertThat(missedAfter(40)).isEqualTo(UNKNOWN);
        reports.put("w0", report(4));
        assertThat(missedAfter(1)).isZero();
    }
}

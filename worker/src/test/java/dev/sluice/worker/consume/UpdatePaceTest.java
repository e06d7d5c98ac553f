package dev.sluice.worker.consume;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class UpdatePaceTest {
    private final UpdatePace pace = new UpdatePace(Duration.ofMillis(100), 0, 1);

    @Test
    void theFirstUpdateIsDueAtOnceTheNextAfterTheInterval() {
        assertThat(pace.isDue(0)).isTrue();
        pace.ended(true, 0);
        assertThat(pace.isDue(nanos(99))).isFalse();
        assertThat(pace.untilDue(nanos(40))).isEqualTo(Duration.ofMillis(60));
        assertThat(pace.isDue(nanos(100))).isTrue();
    }

    @Test
    void failuresAreRetriedAfterPausesThatDoubleUpToABoundWithJitter() {
        Duration last = Duration.ZERO;
        for (int failure = 0; failure < 12; failure++) {
            pace.ended(false, 0);
            Duration nominal = Duration.ofMillis(500L << Math.min(failure, 6));
            Duration bounded = nominal.compareTo(Duration.ofSeconds(30)) > 0 ? Duration.ofSeconds(30) : nominal;
            last = pace.untilDue(0);
            assertThat(last)
                    .isBetween(
                            bounded.multipliedBy(8).dividedBy(10),
                            bounded.multipliedBy(12).dividedBy(10));
        }
        assertThat(pace.failures()).isEqualTo(12);
        pace.ended(true, 0);
        assertThat(pace.failures()).isZero();
        assertThat(pace.untilDue(0)).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void twoWorkersDoNotRetryAtTheSameTime() {
        UpdatePace other = new UpdatePace(Duration.ofMillis(100), 0, 2);
        pace.ended(false, 0);
        other.ended(false, 0);
        assertThat(pace.untilDue(0)).isNotEqualTo(other.untilDue(0));
    }

    private static long nanos(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }
}

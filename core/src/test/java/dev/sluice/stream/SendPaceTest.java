package dev.sluice.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SendPaceTest {
    private static final long MS = 1_000_000;

    private final SendPace pace = new SendPace(Duration.ofMillis(100), Duration.ofMillis(500));

    @Test
    void whoTakesEverythingAtOnceGetsFullBatches() {
        assertThat(pace.ready(0)).isZero();
        assertThat(pace.of(1000)).isEqualTo(1000);
        assertThat(pace.level()).isEqualTo(SendPace.Level.KEEPING_UP);
    }

    @Test
    void aSlowOneGetsSmallerBatchesAndRecovers() {
        assertThat(pace.wanting(0)).isFalse();
        assertThat(pace.wanting(150 * MS)).isTrue();
        assertThat(pace.wanting(160 * MS)).as("told once").isFalse();
        assertThat(pace.ready(200 * MS)).isEqualTo(200 * MS);
        assertThat(pace.of(1000)).isEqualTo(500);
        assertThat(pace.level()).isEqualTo(SendPace.Level.SLOW);
        pace.ready(201 * MS);
        assertThat(pace.of(1000)).isEqualTo(1000);
        assertThat(pace.level()).isEqualTo(SendPace.Level.KEEPING_UP);
    }

    @Test
    void aCriticalOneIsToldOfTwiceAndStartsAgainSmall() {
        pace.wanting(0);
        assertThat(pace.wanting(100 * MS)).isTrue();
        assertThat(pace.level()).isEqualTo(SendPace.Level.SLOW);
        assertThat(pace.wanting(500 * MS)).isTrue();
        assertThat(pace.level()).isEqualTo(SendPace.Level.CRITICAL);
        pace.ready(900 * MS);
        assertThat(pace.of(1000)).isEqualTo(1000 / 64);
        for (int k = 0; k < 6; k++) {
            pace.ready(901 * MS);
        }
        assertThat(pace.of(1000)).isEqualTo(1000);
    }

    @Test
    void aBatchHasAtLeastOneEvent() {
        pace.wanting(0);
        pace.ready(900 * MS);
        assertThat(pace.of(3)).isEqualTo(1);
    }

    @Test
    void thresholdsInTheWrongOrderAreRefused() {
        assertThatThrownBy(() -> new SendPace(Duration.ofSeconds(1), Duration.ofMillis(1)))
                .hasMessageContaining("slow_threshold");
    }
}

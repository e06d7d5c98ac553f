package dev.sluice.testkit.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class VirtualClockTest {

    private final VirtualClock clock = new VirtualClock(Instant.EPOCH);

    @Test
    void bothFacesMoveTogetherAndOnlyWhenTold() {
        LongSupplier nanos = clock::nanos;
        long before = nanos.getAsLong();
        assertThat(clock.instant()).isEqualTo(Instant.EPOCH);
        clock.advance(Duration.ofMillis(1500));
        assertThat(clock.instant()).isEqualTo(Instant.ofEpochMilli(1500));
        assertThat(nanos.getAsLong() - before).isEqualTo(1_500_000_000);
        assertThat(clock.elapsed()).isEqualTo(Duration.ofMillis(1500));
    }

    @Test
    void elapsedNanosWrapSoThatOnlyDifferencesWork() {
        long before = clock.nanos();
        clock.advance(Duration.ofSeconds(2));
        assertThat(clock.nanos()).isNegative();
        assertThat(clock.nanos() - before).isEqualTo(2_000_000_000);
    }

    @Test
    void aMembersWallClockIsWrongButItsElapsedTimeIsNot() {
        MemberClock member = clock.skewedBy(Duration.ofSeconds(-30));
        assertThat(member.instant()).isEqualTo(Instant.EPOCH.minusSeconds(30));
        member.jump(Duration.ofMinutes(1));
        assertThat(member.instant()).isEqualTo(Instant.EPOCH.plusSeconds(30));
        assertThat(member.nanos()).isEqualTo(clock.nanos());
        clock.advance(Duration.ofSeconds(1));
        assertThat(member.instant()).isEqualTo(Instant.EPOCH.plusSeconds(31));
    }

    @Test
    void trueTimeNeverGoesBack() {
        assertThatThrownBy(() -> clock.advance(Duration.ofNanos(-1))).hasMessageContaining("jump");
    }
}

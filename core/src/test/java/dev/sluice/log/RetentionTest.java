package dev.sluice.log;

import static dev.sluice.log.LogFixture.event;
import static dev.sluice.log.LogFixture.events;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class RetentionTest {
    private final InMemoryEventLog log = new InMemoryEventLog(new SegmentLimits(1, 1));

    private Retention retention(Duration keep, long maxBytes) {
        return new Retention(log, new RetentionPolicy(Duration.ofMinutes(1), keep, maxBytes));
    }

    private long oldest() {
        return log.segments().getFirst().first().t();
    }

    @Test
    void whatIsOlderThanTheRetentionGoes() {
        log.append(events(1000, 1100), null);
        Retention retention = retention(Duration.ofSeconds(30), Long.MAX_VALUE);
        assertThat(retention.step(Instant.ofEpochSecond(1100)).events()).isEqualTo(70);
        assertThat(oldest()).as("thirty seconds old stays").isEqualTo(1070);
        assertThat(retention.evictedEvents()).isEqualTo(70);
        assertThat(retention.evictedEarly()).isZero();
    }

    /** Set back by an hour, it must not keep the log growing for an hour. */
    @Test
    void aWallClockThatIsSetBackDoesNotSwitchItOff() {
        log.append(events(1000, 1100), null);
        long one = log.state().bytes() / 100;
        Retention retention = retention(Duration.ofHours(2), 60 * one);
        assertThat(retention.step(Instant.ofEpochSecond(1100)).events()).isEqualTo(40);
        log.append(events(1100, 1150), null);
        Instant setBack = Instant.ofEpochSecond(1100).minus(Duration.ofHours(1));
        assertThat(retention.step(setBack).events())
                .as("the size is no matter of time")
                .isEqualTo(50);
        assertThat(log.state().bytes()).isEqualTo(60 * one);
    }

    /** Row 8. */
    @Test
    void whatIsTooMuchGoesOldestFirstAndIsCounted() {
        log.append(events(1000, 1100), null);
        long one = log.state().bytes() / 100;
        Retention retention = retention(Duration.ofSeconds(90), 25 * one);
        Eviction eviction = retention.step(Instant.ofEpochSecond(1100));
        assertThat(eviction).isEqualTo(new Eviction(75, 75 * one));
        assertThat(log.state().bytes()).isEqualTo(25 * one);
        assertThat(oldest()).isEqualTo(1075);
        assertThat(retention.evictedEarly()).as("ten of them were old enough").isEqualTo(65);
        assertThat(retention.evictedBytes()).isEqualTo(75 * one);
    }

    @Test
    void aTransactionBiggerThanTheLogStaysWhole() {
        log.append(List.of(event(1, 1), event(2, 2), event(2, 3), event(2, 4)), null);
        assertThat(retention(Duration.ofSeconds(1), 1)
                        .step(Instant.ofEpochSecond(9_000))
                        .events())
                .isEqualTo(1);
        assertThat(log.state().events()).isEqualTo(3);
    }

    @Test
    void anEmptyLogIsLeftAlone() {
        assertThat(retention(Duration.ofDays(1), 1).step(Instant.EPOCH)).isEqualTo(Eviction.NOTHING);
    }
}

package dev.sluice.coordinate.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.audit.AuditEvent.Kind;
import dev.sluice.model.FencingToken;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class AuditTrailTest {
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final AuditTrail trail = new AuditTrail("sluice/streamer", () -> now, 3);

    @Test
    void theViewKeepsTheLatestEventsInOrderAndNumbersThemAll() {
        trail.joined("A", "inc-1");
        trail.elected("A", 1);
        trail.claimed("A", 7, new FencingToken(1, 2), "B");
        trail.lost("A", 7, new FencingToken(1, 2), "the deadline passed");
        assertThat(trail.latest()).extracting(AuditEvent::number).containsExactly(2L, 3L, 4L);
        assertThat(trail.latest()).extracting(AuditEvent::kind).containsExactly(Kind.ELECTED, Kind.CLAIMED, Kind.LOST);
        assertThat(trail.told()).isEqualTo(4);
        assertThat(trail.latest().get(1))
                .isEqualTo(new AuditEvent(3, now, Kind.CLAIMED, "A", 7, new FencingToken(1, 2), "from B"));
    }

    @Test
    void theSameRefusalIsToldOncePerMinuteAndAnotherOneAtOnce() {
        trail.refused("evil", "unsigned");
        now = now.plus(Duration.ofSeconds(59));
        trail.refused("evil", "unsigned");
        trail.refused("other", "unsigned");
        assertThat(trail.told()).isEqualTo(2);
        assertThat(trail.repeats()).isEqualTo(1);
        now = now.plus(Duration.ofSeconds(2));
        trail.refused("evil", "unsigned");
        assertThat(trail.told()).isEqualTo(3);
    }

    @Test
    void whatHappensTwiceIsToldTwice() {
        trail.left("A");
        trail.left("A");
        assertThat(trail.told()).isEqualTo(2);
    }
}

package dev.sluice.coordinate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.coordinate.assign.ModuloAssigner;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.model.InvalidInputException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GroupSettingsTest {
    private static final GroupSettings DEFAULTS = GroupSettings.of("sluice/test", MemberIds.fixed("a"), 8);

    @Test
    void aLeaseSurvivesTwoLostRenewalsAndActsShorterThanItLives() {
        assertThat(DEFAULTS.lease()).isEqualTo(Duration.ofSeconds(10));
        Duration timeoutAndPause = DEFAULTS.lease().dividedBy(8).plus(DEFAULTS.retry());
        assertThat(DEFAULTS.heartbeat().plus(timeoutAndPause.multipliedBy(2))).isLessThan(DEFAULTS.life());
        assertThat(DEFAULTS.life()).isLessThan(DEFAULTS.lease());
        assertThat(DEFAULTS.poll()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void theRelaxedProfileBeatsEvery30SecondsAndWaitsTwoMinutes() {
        GroupSettings relaxed = DEFAULTS.relaxed();
        assertThat(relaxed.heartbeat()).isEqualTo(Duration.ofSeconds(30));
        assertThat(relaxed.lease()).isEqualTo(Duration.ofMinutes(2));
        assertThat(relaxed.stabiliser()).isEqualTo(StabiliserSettings.RELAXED);
    }

    @Test
    void eachChangeKeepsEverythingElse() {
        ModuloAssigner modulo = new ModuloAssigner();
        Takeover takeover = (partition, owner, incarnation, token, claimed) -> claimed;
        GroupSettings changed = DEFAULTS.withLease(Duration.ofSeconds(4))
                .withBeat(Duration.ofSeconds(2))
                .withWeight(3)
                .withMetadata(Map.of("zone", "a"))
                .withAssigner(modulo)
                .withTakeover(takeover)
                .waitingUntilReady();
        assertThat(changed)
                .isEqualTo(new GroupSettings(
                        "sluice/test",
                        DEFAULTS.ids(),
                        8,
                        Duration.ofSeconds(4),
                        Duration.ofSeconds(2),
                        DEFAULTS.handoffTimeout(),
                        DEFAULTS.savePolicy(),
                        3,
                        Map.of("zone", "a"),
                        true,
                        modulo,
                        DEFAULTS.stabiliser(),
                        DEFAULTS.secrets(),
                        null,
                        takeover));
    }

    @Test
    void aBeatOfItsOwnIsKeptAndMustComeTwiceWithinTheLease() {
        assertThat(DEFAULTS.withBeat(Duration.ofSeconds(5)).heartbeat()).isEqualTo(Duration.ofSeconds(5));
        assertThatThrownBy(() -> DEFAULTS.withBeat(Duration.ofMillis(5001)))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("at least twice");
    }

    @Test
    void aLeaseThatAnOrdinaryPauseWouldEndIsRefused() {
        assertThatThrownBy(() -> DEFAULTS.withLease(Duration.ofMillis(100)))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("300 ms");
    }
}

package dev.sluice.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventIdTest {
    @Test
    void isCommitTimeAndHashOfTheResumeToken() {
        byte[] token = "foobar".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        EventId id = EventId.of(ClusterTime.of(1735567890, 3), token, 0, token.length);
        assertThat(id).hasToString("1735567890-3-85944171f73967e8");
        assertThat(EventId.parse("1735567890-3-85944171f73967e8")).isEqualTo(id);
    }

    @Test
    void twoEventsOfOneTransactionDiffer() {
        ClusterTime shared = ClusterTime.of(7, 1);
        assertThat(EventId.of(shared, new byte[] {1}, 0, 1)).isNotEqualTo(EventId.of(shared, new byte[] {2}, 0, 1));
    }

    /** "10" sorts before "9" as text: cluster times are compared as numbers, unsigned. */
    @Test
    void clusterTimesOrderAsUnsignedNumbers() {
        assertThat(ClusterTime.of(9, 1)).isLessThan(ClusterTime.of(10, 0));
        assertThat(ClusterTime.of(5, 9)).isLessThan(ClusterTime.of(5, 10));
        assertThat(ClusterTime.of(0x7FFF_FFFFL, 0)).isLessThan(ClusterTime.of(0x8000_0000L, 0));
        assertThat(ClusterTime.of(1, 0x8000_0000L).i()).isEqualTo(0x8000_0000L);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                "--",
                "1-1",
                "1-1-",
                "1-1-123",
                "01-1-0000000000000000",
                "1-01-0000000000000000",
                "+1-1-0000000000000000",
                "1--1-0000000000000000",
                "4294967296-1-0000000000000000",
                "1-4294967296-0000000000000000",
                "99999999999-1-0000000000000000",
                "1-1-000000000000000G",
                "1-1-ABCDEF0000000000",
                "1-1-0000000000000000-",
                "1-1-00000000000000000",
                "١-1-0000000000000000",
                "a-b-c",
                "1-1-0000000000000000\n",
            })
    void refusesWhatIsNotAnIdWithAReason(String text) {
        assertThatThrownBy(() -> EventId.parse(text))
                .isExactlyInstanceOf(InvalidInputException.class)
                .hasMessageContaining("T-I-xxxxxxxxxxxxxxxx");
    }

    @Test
    void showsOnlyASafePieceOfALongBadId() {
        assertThatThrownBy(() -> EventId.parse("x".repeat(10_000) + "\u0007"))
                .hasMessageNotContaining("\u0007")
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(250));
    }
}

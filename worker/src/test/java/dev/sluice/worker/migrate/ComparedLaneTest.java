package dev.sluice.worker.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.worker.migrate.Verdict.Kind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComparedLaneTest {
    private final ComparisonScene scene = new ComparisonScene();
    private final ComparedLane compared = new ComparedLane(scene.lanes.getFirst(), 1_000);

    @BeforeEach
    void begin() {
        take(10);
        assertThat(compared.begin()).isEqualTo(10);
    }

    private void take(long... sequences) {
        for (long sequence : sequences) {
            scene.take(0, sequence);
        }
    }

    private void see(long... sequences) {
        for (long sequence : sequences) {
            compared.seen(sequence);
        }
    }

    private Verdict verdict(long lastInStream) {
        return compared.verdict(filter -> lastInStream);
    }

    @Test
    void itDoesNotMatterWhichSideIsAhead() {
        see(9, 10, 11);
        take(11, 15);
        compared.mark();
        assertThat(compared.isReached()).isFalse();
        see(15, 16);
        assertThat(compared.isReached()).isTrue();
        assertThat(verdict(16)).isEqualTo(Verdict.GOOD);
        take(16);
        compared.mark();
        assertThat(verdict(16)).isEqualTo(Verdict.GOOD);
    }

    @Test
    void aMessageThatOneSideHasPassedIsADifferenceOnce() {
        take(11, 12, 14);
        see(12, 13, 14);
        compared.mark();
        assertThat(compared.isReached()).isTrue();
        assertThat(verdict(14).text())
                .isEqualTo("partition 0 missed 1 messages that its shadow got, the shadow 1 that the partition got");
        assertThat(verdict(14)).isEqualTo(Verdict.GOOD);
    }

    @Test
    void aLaneThatIsBehindIsComparedLater() {
        see(11, 12);
        compared.mark();
        assertThat(verdict(12).kind()).isEqualTo(Kind.NEUTRAL);
        take(12);
        assertThat(verdict(12).text()).startsWith("partition 0 missed 1 messages");
    }

    @Test
    void aShadowThatIsBehindIsBadUntilItHasCaughtUp() {
        take(11);
        compared.mark();
        assertThat(verdict(11)).isEqualTo(Verdict.bad("the shadow of partition 0 lags: it stands at sequence 10"));
        see(11);
        assertThat(verdict(11)).isEqualTo(Verdict.GOOD);
    }

    /** The limits of the stream have removed them before the shadow came to them. */
    @Test
    void messagesThatAreGoneFromTheStreamAreNoDifference() {
        take(11, 12);
        compared.mark();
        assertThat(verdict(10)).isEqualTo(Verdict.GOOD);
        take(13);
        see(13);
        compared.mark();
        assertThat(verdict(13)).isEqualTo(Verdict.GOOD);
    }

    /** Its memory is bounded. What comes later is not compared. */
    @ParameterizedTest
    @CsvSource({"true, BAD", "false, NEUTRAL"})
    void sidesThatAreTooFarApartAreNotCompared(boolean laneIsAhead, Kind expected) {
        for (int sequence = 11; sequence <= 1_010; sequence++) {
            ahead(laneIsAhead, sequence);
        }
        assertThat(compared.isOverrun()).isFalse();
        ahead(laneIsAhead, 1_011);
        assertThat(compared.isOverrun()).isTrue();
        ahead(!laneIsAhead, 20_000);
        compared.mark();
        assertThat(compared.isReached()).isTrue();
        assertThat(verdict(20_000).kind()).isEqualTo(expected);
    }

    private void ahead(boolean lane, long sequence) {
        if (lane) {
            take(sequence);
        } else {
            see(sequence);
        }
    }

    @Test
    void afterItsEndItGetsNothing() {
        compared.close();
        take(11);
        compared.mark();
        assertThat(compared.isReached()).isTrue();
    }
}

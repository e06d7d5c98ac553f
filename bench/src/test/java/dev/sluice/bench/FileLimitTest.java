package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class FileLimitTest {
    @Test
    void nobodyIsCutAheadWhereTheLimitIsHighEnoughOrUnknown() {
        assertThat(new FileLimit(21_000).cutAhead(10_000)).isZero();
        assertThat(new FileLimit(1L << 20).cutAhead(10_000)).isZero();
        assertThat(new FileLimit(-1).cutAhead(10_000)).isZero();
    }

    @Test
    void aLimitThatIsALittleTooLowIsMadeUpForByCuttingSomeAhead() {
        assertThat(new FileLimit(20_999).cutAhead(10_000)).isOne();
        assertThat(new FileLimit(20_000).cutAhead(10_000)).isEqualTo(1_000);
    }

    @Test
    void aLimitThatIsFarTooLowIsRefusedWithWhatToDo() {
        assertThatThrownBy(() -> new FileLimit(19_999).cutAhead(10_000))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ulimit -n 21000");
        assertThatThrownBy(() -> new FileLimit(1_024).cutAhead(1_000)).hasMessageContaining("ulimit -n 3000");
    }

    @Test
    void theLimitOfThisProcessIsKnown() {
        assertThat(FileLimit.ofThisProcess().most()).isPositive();
    }
}

package dev.sluice.mongodb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.capture.SourceFailure;
import dev.sluice.model.ClusterTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PositionCheckTest {
    private static final ClusterTime POSITION = ClusterTime.of(100, 5);

    private long nanos;
    private final PositionCheck check = new PositionCheck(Duration.ofSeconds(10), () -> nanos);

    @Test
    void aPrimaryThatHasThePositionIsFineWhateverTheMajorityHas() {
        assertThat(check.failure(primary(100, 5, 90, 1), POSITION)).isNull();
    }

    /** A stream that began "now" stands one tick behind the last write. */
    @Test
    void aPositionDirectlyBehindTheLastWriteIsFine() {
        assertThat(check.failure(primary(100, 4, 100, 1), POSITION)).isNull();
    }

    @Test
    void aPrimaryThatStaysBehindAndCommittedInItsTermIsOfAnotherDeployment() {
        PrimaryTime behind = primary(100, 3, 100, 1);
        assertThat(check.failure(behind, POSITION)).isInstanceOf(SourceFailure.Retryable.class);
        nanos += Duration.ofSeconds(10).toNanos();
        assertThat(check.failure(behind, POSITION))
                .isInstanceOf(SourceFailure.HistoryLost.class)
                .extracting(SourceFailure::detail)
                .asString()
                .contains("another deployment");
    }

    @Test
    void aPrimaryThatHasCommittedNothingInItsTermIsWaitedFor() {
        PrimaryTime elected = primary(100, 3, 90, 0);
        for (int k = 0; k < 5; k++) {
            assertThat(check.failure(elected, POSITION)).isInstanceOf(SourceFailure.Retryable.class);
            nanos += Duration.ofSeconds(10).toNanos();
        }
    }

    @Test
    void aPrimaryThatCatchesUpIsForgiven() {
        check.failure(primary(100, 3, 100, 1), POSITION);
        nanos += Duration.ofSeconds(9).toNanos();
        assertThat(check.failure(primary(100, 9, 100, 1), POSITION)).isNull();
        nanos += Duration.ofSeconds(9).toNanos();
        assertThat(check.failure(primary(100, 3, 100, 1), POSITION)).isInstanceOf(SourceFailure.Retryable.class);
    }

    private static PrimaryTime primary(long appliedT, long appliedI, long committedT, long committedTerm) {
        return new PrimaryTime(ClusterTime.of(appliedT, appliedI), 1, ClusterTime.of(committedT, 1), committedTerm);
    }
}

package dev.sluice.mongodb;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReplyPatienceTest {
    private final ReplyPatience patience = new ReplyPatience(Duration.ofMinutes(10), 1000);

    @Test
    void aReplyThatTookTooLongMayTakeTwiceAsLongAndBringsLess() {
        patience.timedOut();
        assertThat(patience.limit()).isEqualTo(Duration.ofMinutes(20));
        assertThat(patience.batchSize()).isEqualTo(100);
        for (int k = 0; k < 20; k++) {
            patience.timedOut();
        }
        assertThat(patience.limit()).isEqualTo(Duration.ofHours(24));
        assertThat(patience.batchSize()).isOne();
    }

    @Test
    void repliesInTimeBringBackTheFullBatch() {
        patience.timedOut();
        patience.timedOut();
        for (int k = 0; k < 20; k++) {
            patience.answered();
        }
        assertThat(patience.limit()).isEqualTo(Duration.ofMinutes(10));
        assertThat(patience.batchSize()).isEqualTo(1000);
    }
}

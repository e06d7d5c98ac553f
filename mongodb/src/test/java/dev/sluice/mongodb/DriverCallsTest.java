package dev.sluice.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.capture.SourceException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class DriverCallsTest {
    private static final Duration LIMIT = Duration.ofMillis(100);
    private static final int BATCH = 1000;

    private final DriverCalls calls = new DriverCalls(
            new ServerWatch(), new ReplyPatience(LIMIT, BATCH), Duration.ofMillis(1), Duration.ofSeconds(10));

    /** Else the slow one of several streams would be given up after the same time for ever. */
    @Test
    void aQuickStreamDoesNotTakeBackTheTimeThatASlowOneGot() throws Exception {
        ReplyPatience slow = new ReplyPatience(LIMIT, BATCH);
        CountDownLatch never = new CountDownLatch(1);
        assertThatThrownBy(() -> calls.streamReply(slow, () -> await(never)))
                .isInstanceOf(SourceException.class)
                .hasMessageContaining("from a server that is alive");
        assertThat(calls.streamReply(new ReplyPatience(Duration.ofSeconds(20), BATCH), () -> "quick"))
                .isEqualTo("quick");
        assertThat(slow.limit()).isEqualTo(LIMIT.multipliedBy(2));
        assertThat(slow.batchSize()).isLessThan(BATCH);
    }

    private static boolean await(CountDownLatch never) {
        try {
            never.await();
            return true;
        } catch (InterruptedException givenUp) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(givenUp);
        }
    }
}

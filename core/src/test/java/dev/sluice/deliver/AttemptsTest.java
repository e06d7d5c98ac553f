package dev.sluice.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class AttemptsTest {
    private final Attempts attempts = new Attempts("gw");

    @Test
    void whateverAnAttemptThrowsIsTriedLater() throws Exception {
        CompletableFuture<BatchOutcome> outcome = attempts.begin(() -> {
                    throw new IOException("it broke");
                })
                .toCompletableFuture();
        assertThat(outcome.get(10, TimeUnit.SECONDS)).isEqualTo(new BatchOutcome.RetryLater("it broke"));
        assertThat(attempts.begin(AttemptsTest::endless).toCompletableFuture().get(10, TimeUnit.SECONDS))
                .isInstanceOf(BatchOutcome.RetryLater.class);
    }

    @Test
    void anErrorIsTriedLaterToo() throws Exception {
        CompletableFuture<BatchOutcome> outcome = attempts.begin(() -> {
                    throw new NoClassDefFoundError("io/client/Codec");
                })
                .toCompletableFuture();
        assertThat(outcome.get(10, TimeUnit.SECONDS))
                .isEqualTo(new BatchOutcome.RetryLater("NoClassDefFoundError: io/client/Codec"));
    }

    @SuppressWarnings("InfiniteRecursion")
    private static BatchOutcome endless() {
        return endless();
    }

    @Test
    void closingEndsWhatIsUnderWayAndWhatComesLater() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<BatchOutcome> underWay = attempts.begin(() -> {
                    goOn.await();
                    return BatchOutcome.DELIVERED;
                })
                .toCompletableFuture();
        attempts.close();
        assertThat(underWay).isCompletedWithValueMatching(BatchOutcome.RetryLater.class::isInstance);
        goOn.countDown();
        assertThat(attempts.begin(() -> BatchOutcome.DELIVERED)
                        .toCompletableFuture()
                        .get(10, TimeUnit.SECONDS))
                .isInstanceOf(BatchOutcome.RetryLater.class);
    }
}

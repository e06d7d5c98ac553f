package dev.sluice.worker.consume;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class AdaptiveBatchTest {
    private static final long WINDOW = Duration.ofMillis(300).toNanos();

    private final AdaptiveBatch batch = new AdaptiveBatch(50, 400, 0);
    private long now;

    @Test
    void beginsAsConfiguredAndNotAboveTheCapacity() {
        assertThat(batch.size(0, 0, 0)).isEqualTo(50);
        assertThat(new AdaptiveBatch(50, 20, 0).size(0, 0, 0)).isEqualTo(20);
    }

    @Test
    void growsToTheFreeQueueWhileTheServerHasMoreAndGoesBackWhenItHasNone() {
        assertThat(after(3, 0, 10_000)).isEqualTo(100);
        assertThat(after(3, 0, 10_000)).isEqualTo(200);
        assertThat(after(3, 0, 10_000)).isEqualTo(400);
        assertThat(after(3, 0, 10_000)).isEqualTo(400);
        assertThat(after(3, 0, 0)).isEqualTo(50);
    }

    @Test
    void isTwoSecondsOfWorkAtTheEndOfTheStream() {
        assertThat(after(30, 0, 0)).isEqualTo(200);
        assertThat(after(300, 0, 0)).isEqualTo(400);
    }

    @Test
    void growsWithinTheWindowWhenAWholeBatchIsFinished() {
        finish(49);
        assertThat(batch.size(1_000, 0, 0)).isEqualTo(50);
        finish(1);
        assertThat(batch.size(2_000, 0, 0)).isEqualTo(100);
        assertThat(batch.size(3_000, 0, 0)).isEqualTo(100);
        finish(150);
        assertThat(batch.size(4_000, 0, 0)).isEqualTo(200);
        assertThat(batch.size(5_000, 0, 0)).isEqualTo(400);
        finish(1_000);
        assertThat(batch.size(6_000, 0, 0)).isEqualTo(400);
    }

    @Test
    void aSlowHandlerHalvesItDownToOneMessage() {
        int size = 50;
        for (int k = 0; k < 8; k++) {
            size = after(1, 300, 10_000);
        }
        assertThat(size).isEqualTo(1);
        assertThat(after(0, 0, 10_000)).isEqualTo(3);
        assertThat(after(300, 0, 10_000)).isEqualTo(400);
    }

    @Test
    void aFullQueueDoesNotGrowIt() {
        assertThat(after(300, 250, 10_000)).isEqualTo(50);
    }

    /** The size after a window in which so many messages were finished. */
    private int after(int finished, int queued, long pending) {
        finish(finished);
        now += WINDOW;
        return batch.size(now, queued, pending);
    }

    private void finish(int messages) {
        for (int k = 0; k < messages; k++) {
            batch.finished();
        }
    }
}

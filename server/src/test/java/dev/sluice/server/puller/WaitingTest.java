package dev.sluice.server.puller;

import static dev.sluice.server.puller.PullerSetup.reachedWhileGrowing;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How the crash suites wait for a slow consumer: by its progress, not by the clock. */
class WaitingTest {
    private static final Duration PATIENCE = Duration.ofMillis(200);

    @Test
    void whatGrowsIsWaitedForLongerThanThePatience() throws Exception {
        var arrived = new AtomicInteger();
        var begun = System.nanoTime();
        assertThat(reachedWhileGrowing(() -> arrived.incrementAndGet() > 30, arrived::get, PATIENCE))
                .isTrue();
        assertThat(System.nanoTime() - begun).isGreaterThan(PATIENCE.toNanos());
    }

    @Test
    void whatStandsStillIsGivenUp() throws Exception {
        assertThat(reachedWhileGrowing(() -> false, () -> 7, PATIENCE)).isFalse();
    }
}

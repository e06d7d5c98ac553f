package dev.sluice.gateway.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ClientQueueTest {
    private static final WebLimits SMALL = new WebLimits(9, 9, 9, 9, 3, 10, 20, Duration.ofSeconds(1));

    private final AtomicLong inAll = new AtomicLong();
    private final AtomicInteger full = new AtomicInteger();
    private final ClientQueue queue = new ClientQueue(SMALL, inAll, full::incrementAndGet);

    private String take() throws InterruptedException {
        return queue.take(Duration.ZERO);
    }

    @Test
    void whatIsPutComesOutInOrder() throws Exception {
        queue.put("a");
        queue.put("b");
        assertThat(take()).isEqualTo("a");
        assertThat(take()).isEqualTo("b");
        assertThat(take()).isNull();
        assertThat(inAll).hasValue(0);
    }

    @Test
    void oneMessageTooManyClosesItOnceAndForgetsWhatWaits() throws Exception {
        for (int k = 0; k < 5; k++) {
            queue.put("a");
        }
        assertThat(full).hasValue(1);
        assertThat(queue.isClosed()).isTrue();
        assertThat(take()).isNull();
        assertThat(inAll).hasValue(0);
    }

    @Test
    void aSingleMessageMayBeLongerThanAllTogether() throws Exception {
        queue.put("x".repeat(50));
        assertThat(full).hasValue(0);
        queue.put("y");
        assertThat(full).hasValue(1);
    }

    @Test
    void whenAllConnectionsTogetherHaveTooMuchWhoeverHasABacklogGoes() {
        ClientQueue other = new ClientQueue(SMALL, inAll, full::incrementAndGet);
        inAll.addAndGet(18);
        queue.put("one");
        other.put("one");
        assertThat(full).hasValue(0);
        other.put("two");
        assertThat(full).hasValue(1);
        assertThat(other.isClosed()).isTrue();
        assertThat(queue.isClosed()).isFalse();
        assertThat(inAll).hasValue(21);
    }

    @Test
    void aClosedQueueTakesNothingAndTellsNobody() throws Exception {
        queue.put("a");
        queue.close();
        queue.put("b");
        assertThat(take()).isNull();
        assertThat(full).hasValue(0);
        assertThat(inAll).hasValue(0);
    }
}

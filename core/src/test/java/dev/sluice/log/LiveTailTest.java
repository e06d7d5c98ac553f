package dev.sluice.log;

import static dev.sluice.log.LogFixture.event;
import static dev.sluice.log.LogFixture.events;
import static dev.sluice.log.LogFixture.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.ClusterTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LiveTailTest {
    private final InMemoryEventLog log = new InMemoryEventLog(new SegmentLimits(1, 1));

    private static LogPosition at(long t) {
        return new LogPosition(ClusterTime.of(t, 1), 1);
    }

    @Test
    void itKeepsTheNewestWithinItsBounds() {
        log.append(events(1, 2), null);
        LiveTail tail = new LiveTail(log.state().head().position(), 5, 1 << 20);
        tail.publish(log.append(events(2, 10), null));
        assertThat(numbers(tail.read(at(4), 100, Long.MAX_VALUE))).containsExactly(5L, 6L, 7L, 8L, 9L);
        assertThat(tail.read(at(3), 100, Long.MAX_VALUE))
                .as("that is on disk only")
                .isNull();
        assertThat(numbers(tail.read(at(6), 2, Long.MAX_VALUE))).containsExactly(7L, 8L);
        assertThat(numbers(tail.read(at(9), 100, Long.MAX_VALUE))).isEmpty();
    }

    @Test
    void itIsBoundedInBytesButKeepsTheNewest() {
        log.append(events(1, 2), null);
        int one = new LogEntry(at(1), event(1, 1)).bytes();
        LiveTail tail = new LiveTail(log.state().head().position(), 100, 3L * one);
        tail.publish(log.append(events(2, 10), null));
        assertThat(tail.bytes()).isEqualTo(3L * one);
        assertThat(tail.read(at(5), 100, Long.MAX_VALUE)).isNull();
        assertThat(numbers(tail.read(at(6), 100, Long.MAX_VALUE))).containsExactly(7L, 8L, 9L);
        LiveTail tiny = new LiveTail(at(9), 100, 1);
        tiny.publish(log.append(events(10, 13), null));
        assertThat(numbers(tiny.read(at(11), 100, Long.MAX_VALUE))).containsExactly(12L);
    }

    /** Row 15: memory while it keeps up, disk when behind, back again: the reader cannot tell. */
    @Test
    void aReaderGetsTheSameFromMemoryAndFromDisk() {
        LiveTail tail = new LiveTail(log.state().head().position(), 7, 1 << 20);
        LogReader reader = new LogReader(log, tail);
        for (int n = 1; n < 60; n += 3) {
            tail.publish(log.append(List.of(event(n, n), event(n, n + 1), event(n, n + 2)), null));
        }
        LogPosition at = log.state().evictedThrough().position();
        for (int n = 1; n <= 60; n++) {
            LogRead.Entries read = (LogRead.Entries) reader.read(at, 1, Long.MAX_VALUE);
            assertThat(read).isEqualTo(log.read(at, 1, Long.MAX_VALUE));
            assertThat(read.entries().getFirst().event().hash()).isEqualTo(n);
            at = read.reached();
        }
    }

    @Test
    void aReaderThatFellOffIsTold() {
        log.append(events(1, 11), null);
        LogReader reader = new LogReader(log, new LiveTail(log.state().head().position(), 5, 1 << 20));
        log.evict(ClusterTime.of(5, 1));
        assertThat(reader.read(at(3), 10, Long.MAX_VALUE)).isInstanceOf(LogRead.Evicted.class);
        assertThat(numbers(reader.read(at(5), 10, Long.MAX_VALUE))).containsExactly(6L, 7L, 8L, 9L, 10L);
    }

    @Test
    void aWaitingReaderIsWokenByACommit() throws Exception {
        log.append(events(1, 2), null);
        LiveTail tail = new LiveTail(log.state().head().position(), 5, 1 << 20);
        LogReader reader = new LogReader(log, tail);
        CompletableFuture<LogRead> waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return reader.read(at(1), 10, Long.MAX_VALUE, Duration.ofSeconds(30));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        AtomicInteger woken = new AtomicInteger();
        Runnable end = tail.onCommit(woken::incrementAndGet);
        tail.publish(log.append(events(2, 3), null));
        assertThat(numbers(waiting.get(10, TimeUnit.SECONDS))).containsExactly(2L);
        end.run();
        tail.publish(log.append(events(3, 4), null));
        assertThat(woken).hasValue(1);
        assertThat(numbers(reader.read(at(3), 10, Long.MAX_VALUE, Duration.ZERO)))
                .isEmpty();
    }
}

package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.run.Turns;
import dev.sluice.run.TurnsOnThreads;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The real turns. */
class StreamerThreadsTest {
    @Test
    void aStepThatFailsIsTriedAgainAndOneThatEndsIsOver() throws InterruptedException {
        try (TurnsOnThreads threads = new TurnsOnThreads(2)) {
            AtomicInteger steps = new AtomicInteger();
            CountDownLatch ended = new CountDownLatch(2);
            Turns.Step step = () -> {
                if (steps.incrementAndGet() == 1) {
                    throw new IllegalStateException("once");
                }
                ended.countDown();
                return null;
            };
            Turns.Loop own = threads.loop("own", step);
            own.wake();
            Turns.Loop shared = threads.background("shared", step);
            assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
            while (!own.isOver() || !shared.isOver()) {
                Thread.onSpinWait();
            }
            assertThat(steps.get()).isEqualTo(3);
        }
    }

    /** Or a partition, or the saving of positions, would stand still for good when memory is short for a moment. */
    @Test
    void aLackOfMemoryDoesNotEndAStep() throws InterruptedException {
        try (TurnsOnThreads threads = new TurnsOnThreads(1)) {
            AtomicInteger steps = new AtomicInteger();
            CountDownLatch ended = new CountDownLatch(2);
            Turns.Step step = () -> {
                if (steps.incrementAndGet() <= 2) {
                    throw new OutOfMemoryError("for a moment");
                }
                ended.countDown();
                return null;
            };
            Turns.Loop own = threads.loop("own", step);
            Turns.Loop shared = threads.background("shared", step);
            assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
            own.stop();
            shared.stop();
            CountDownLatch after = new CountDownLatch(1);
            threads.after(Duration.ZERO, () -> {
                throw new OutOfMemoryError("for a moment");
            });
            threads.after(Duration.ofMillis(1), after::countDown);
            assertThat(after.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aLoopsNameIsThatOfItsThreadWhileItRuns() throws InterruptedException {
        try (TurnsOnThreads threads = new TurnsOnThreads(1)) {
            Set<String> names = ConcurrentHashMap.newKeySet();
            CountDownLatch ran = new CountDownLatch(3);
            Turns.Step step = () -> {
                names.add(Thread.currentThread().getName());
                ran.countDown();
                return null;
            };
            threads.loop("partition-0", step);
            threads.background("catch-up-0-g", step);
            threads.background("streamer-positions", step);
            assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(names).containsExactlyInAnyOrder("partition-0", "catch-up-0-g", "streamer-positions");
        }
    }

    @Test
    void aPauseEndsWhenSomebodyWakesIt() throws InterruptedException {
        try (TurnsOnThreads threads = new TurnsOnThreads(1)) {
            CountDownLatch twice = new CountDownLatch(2);
            CountDownLatch once = new CountDownLatch(1);
            Turns.Loop loop = threads.background("sleeper", () -> {
                twice.countDown();
                once.countDown();
                return Duration.ofHours(1);
            });
            assertThat(once.await(30, TimeUnit.SECONDS)).isTrue();
            loop.wake();
            assertThat(twice.await(30, TimeUnit.SECONDS)).isTrue();
            loop.stop();
        }
    }

    @Test
    void aTaskRunsOnceAfterItsTime() throws InterruptedException {
        try (TurnsOnThreads threads = new TurnsOnThreads(1)) {
            CountDownLatch ran = new CountDownLatch(1);
            threads.after(Duration.ofMillis(1), ran::countDown);
            assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }
}

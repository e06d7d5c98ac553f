package dev.sluice.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a loop survives, what it reports, and how it ends. */
class LoopsTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final AtomicLong time = new AtomicLong();
    private final Loops loops = new Loops(time::get);

    @Test
    void whateverAStepThrowsTheNextOneRuns() throws Exception {
        for (Throwable thrown :
                List.of(new OutOfMemoryError("test"), new NoClassDefFoundError("test"), new IllegalStateException())) {
            AtomicInteger steps = new AtomicInteger();
            CountDownLatch second = new CountDownLatch(1);
            try (Loop loop = loops.loop("survivor")
                    .retryAfter(Duration.ofMillis(1))
                    .start(() -> {
                        if (steps.incrementAndGet() == 1) {
                            LoopsTest.<RuntimeException>raise(thrown);
                        }
                        second.countDown();
                        return LONG;
                    })) {
                assertThat(second.await(30, TimeUnit.SECONDS))
                        .as(thrown.toString())
                        .isTrue();
            }
        }
    }

    @Test
    void aFailingLoopIsListedUntilAStepSucceeds() throws Exception {
        Semaphore turns = new Semaphore(0);
        LinkedBlockingQueue<Integer> done = new LinkedBlockingQueue<>();
        AtomicInteger steps = new AtomicInteger();
        try (Loop loop = loops.loop("retention-a").retryAfter(Duration.ZERO).start(() -> {
            turns.acquire();
            int step = steps.incrementAndGet();
            done.add(step);
            if (step <= 2) {
                throw new OutOfMemoryError("step " + step);
            }
            return Duration.ZERO;
        })) {
            assertThat(loops.failing()).isEmpty();
            turns.release();
            done.poll(30, TimeUnit.SECONDS);
            turns.release();
            done.poll(30, TimeUnit.SECONDS);
            await(() -> !loops.failing().isEmpty() && loops.failing().getFirst().failures() == 2);
            time.addAndGet(Duration.ofSeconds(90).toNanos());
            LoopFailure failure = loops.failing().getFirst();
            assertThat(failure.loop()).isEqualTo("retention-a");
            assertThat(failure.lasting()).isEqualTo(Duration.ofSeconds(90));
            assertThat(failure.cause()).isInstanceOf(OutOfMemoryError.class).hasMessage("step 2");
            assertThat(failure.text()).contains("retention-a", "2 times", "90 s", "OutOfMemoryError");
            turns.release(2);
            await(() -> loops.failing().isEmpty());
            loop.askToStop();
            turns.release();
        }
    }

    @Test
    void theThreadHasTheLoopsName() throws Exception {
        LinkedBlockingQueue<Thread> threads = new LinkedBlockingQueue<>();
        try (Loop virtual = loops.loop("on-virtual").start(() -> {
                    threads.add(Thread.currentThread());
                    return LONG;
                });
                Loop platform = loops.loop("on-platform").onPlatformThread().start(() -> {
                    threads.add(Thread.currentThread());
                    return null;
                })) {
            List<Thread> seen = List.of(threads.poll(30, TimeUnit.SECONDS), threads.poll(30, TimeUnit.SECONDS));
            assertThat(seen).extracting(Thread::getName).containsExactlyInAnyOrder("on-virtual", "on-platform");
            assertThat(seen)
                    .allSatisfy(thread -> assertThat(thread.isVirtual())
                            .isEqualTo(thread.getName().equals("on-virtual")));
        }
    }

    @Test
    void wakeEndsThePauseAndCloseEndsTheLoop() throws Exception {
        Semaphore steps = new Semaphore(0);
        CountDownLatch ended = new CountDownLatch(1);
        Loop loop = loops.loop("sleeper").atEnd(ended::countDown).start(() -> {
            steps.release();
            return LONG;
        });
        assertThat(steps.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
        loop.wake();
        assertThat(steps.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
        loop.close();
        loop.close();
        assertThat(loop.isOver()).isTrue();
        assertThat(ended.getCount()).isZero();
    }

    @Test
    void aLoopThatIsDoneOrWasStoppedIsNotListed() {
        Loop done = loops.loop("done").start(() -> null);
        Loop interrupted = loops.loop("interrupted").start(() -> {
            Thread.sleep(LONG);
            return LONG;
        });
        interrupted.interrupt();
        assertThat(done.join(TIMEOUT)).isTrue();
        assertThat(interrupted.join(TIMEOUT)).isTrue();
        assertThat(loops.failing()).isEmpty();
    }

    /** Something interrupted it that is not its owner: the process works on without it and must say so. */
    @Test
    void aLoopThatEndedThoughItShouldRunIsListedUntilItIsClosed() {
        Loop interrupted = loops.loop("interrupted").start(() -> {
            throw new InterruptedException("by a stranger");
        });
        assertThat(interrupted.join(TIMEOUT)).isTrue();
        assertThat(loops.failing()).singleElement().satisfies(failure -> {
            assertThat(failure.ended()).isTrue();
            assertThat(failure.text())
                    .isEqualTo("loop interrupted has ended: java.lang.InterruptedException: by a stranger");
        });
        interrupted.close();
        assertThat(loops.failing()).isEmpty();
    }

    @Test
    void aFailureAtTheEndIsSurvived() {
        Loop loop = loops.loop("bad-end")
                .atEnd(() -> {
                    throw new AssertionError("test");
                })
                .start(() -> null);
        assertThat(loop.join(TIMEOUT)).isTrue();
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(Condition condition) throws InterruptedException {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime() - deadline).isNegative();
            Thread.onSpinWait();
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable thrown) throws T {
        throw (T) thrown;
    }
}

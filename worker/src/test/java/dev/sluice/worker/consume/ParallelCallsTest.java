package dev.sluice.worker.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.coordinate.VirtualThreads;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ParallelCallsTest {
    private static final int AT_A_TIME = 4;

    private final ParallelCalls calls = new ParallelCalls(new VirtualThreads(), AT_A_TIME);
    private final AtomicInteger made = new AtomicInteger();

    @Test
    void nothingIsCalledForAnEmptyList() {
        assertThat(calls.run("test", List.of())).isEmpty();
    }

    @Test
    void everyCallIsMadeOnceAndAFewAtATime() {
        CountDownLatch meeting = new CountDownLatch(AT_A_TIME);
        List<BooleanSupplier> all = new ArrayList<>();
        all.add(made(true));
        for (int k = 0; k < AT_A_TIME; k++) {
            all.add(() -> {
                meeting.countDown();
                awaitZero(meeting);
                return made(true).getAsBoolean();
            });
        }
        all.addAll(Collections.nCopies(10, made(true)));
        assertThat(calls.run("test", all)).isEmpty();
        assertThat(made).hasValue(all.size());
    }

    @Test
    void aFirstCallWithoutSuccessIsTheOnlyOne() {
        assertThat(calls.run("test", Collections.nCopies(10, made(false)))).hasValue(1);
        assertThat(made).hasValue(1);
    }

    @Test
    void afterACallWithoutSuccessNoneBegins() {
        List<BooleanSupplier> all = new ArrayList<>(List.of(made(true), made(false)));
        all.addAll(Collections.nCopies(1_000, () -> {
            await().until(() -> made.get() >= 2);
            return made(true).getAsBoolean();
        }));
        int begun = calls.run("test", all).orElseThrow();
        assertThat(begun).isLessThan(all.size());
        assertThat(made).hasValue(begun);
    }

    @Test
    void whatACallThrowsIsThrownWhenTheOthersHaveEnded() {
        List<BooleanSupplier> all = new ArrayList<>(List.of(made(true), made(true)));
        all.add(() -> {
            throw new NoClassDefFoundError("not deployed");
        });
        assertThatThrownBy(() -> calls.run("test", all)).isInstanceOf(NoClassDefFoundError.class);
        assertThat(made).hasValue(2);
    }

    /** The JVM may be out of threads: the calls are made all the same, one after the other. */
    @Test
    void withoutAnotherThreadAllCallsAreMade() {
        ManualTime threads = new ManualTime();
        threads.noThreads(true);
        ParallelCalls alone = new ParallelCalls(threads, AT_A_TIME);
        assertThat(alone.run("test", Collections.nCopies(10, made(true)))).isEmpty();
        assertThat(made).hasValue(10);
    }

    @Test
    void anInterruptReachesAllCallsAndStays() {
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch waiting = new CountDownLatch(AT_A_TIME);
        List<BooleanSupplier> all = new ArrayList<>(List.of(made(true)));
        all.addAll(Collections.nCopies(20, () -> {
            waiting.countDown();
            return awaitZero(never);
        }));
        Thread runs = Thread.currentThread();
        Thread.ofVirtual().start(() -> {
            awaitZero(waiting);
            runs.interrupt();
        });
        assertThat(calls.run("test", all)).hasValue(1 + AT_A_TIME);
        assertThat(Thread.interrupted()).isTrue();
    }

    private BooleanSupplier made(boolean success) {
        return () -> {
            made.incrementAndGet();
            return success;
        };
    }

    private static boolean awaitZero(CountDownLatch latch) {
        try {
            latch.await();
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}

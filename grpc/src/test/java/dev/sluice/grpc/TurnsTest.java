package dev.sluice.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TurnsTest {
    private final ArrayDeque<Runnable> queue = new ArrayDeque<>();
    private int ran;

    @Test
    void wakingTwiceBeforeItRunsIsOneTurn() {
        Turns turns = new Turns(queue::add, () -> ran++);
        turns.wake();
        turns.wake();
        assertThat(queue).hasSize(1);
        queue.remove().run();
        assertThat(ran).isEqualTo(1);
        assertThat(queue).isEmpty();
    }

    @Test
    void wakingWhileItRunsIsAnotherTurn() {
        Turns[] turns = new Turns[1];
        turns[0] = new Turns(queue::add, () -> {
            if (ran++ == 0) {
                turns[0].wake();
            }
        });
        turns[0].wake();
        queue.remove().run();
        assertThat(queue).hasSize(1);
        queue.remove().run();
        assertThat(ran).isEqualTo(2);
        assertThat(queue).isEmpty();
    }

    /** Out of native threads, say: the wake-up is lost, but not the turns after it. */
    @Test
    void whenNoThreadCouldBeHadTheNextWakeTriesAgain() {
        Turns[] turns = new Turns[1];
        int[] attempts = {0};
        turns[0] = new Turns(
                work -> {
                    if (attempts[0]++ == 0) {
                        throw new LinkageError("unable to create native thread");
                    }
                    queue.add(work);
                },
                () -> ran++);
        turns[0].wake();
        turns[0].wake();
        queue.remove().run();
        assertThat(ran).isEqualTo(1);
    }

    @Test
    void noWakeIsLostAndNoTwoTurnsOverlap() throws Exception {
        AtomicInteger produced = new AtomicInteger();
        AtomicInteger consumed = new AtomicInteger();
        AtomicBoolean inside = new AtomicBoolean();
        AtomicBoolean overlapped = new AtomicBoolean();
        try (ExecutorService threads = Executors.newFixedThreadPool(3);
                ExecutorService producers = Executors.newFixedThreadPool(3)) {
            Turns turns = new Turns(threads, () -> {
                overlapped.compareAndSet(false, !inside.compareAndSet(false, true));
                consumed.set(produced.get());
                inside.set(false);
            });
            for (int k = 0; k < 3; k++) {
                producers.execute(() -> {
                    for (int n = 0; n < 20_000; n++) {
                        produced.incrementAndGet();
                        turns.wake();
                    }
                });
            }
            producers.shutdown();
            assertThat(producers.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(overlapped).isFalse();
        assertThat(consumed.get()).isEqualTo(60_000);
    }

    @Test
    void wakingAfterTheThreadsAreGoneHurtsNobody() {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        threads.shutdown();
        Turns turns = new Turns(threads, () -> ran++);
        turns.wake();
        assertThat(ran).isZero();
    }
}

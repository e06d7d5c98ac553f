package dev.sluice.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.CoordinationStore.Watch;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.run.Loops;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WatchesTest {
    private static final Duration OFTEN = Duration.ofMillis(1);
    private static final Duration NEVER = Duration.ofDays(1);

    private final AtomicInteger version = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();
    private final Semaphore answered = new Semaphore(0);
    private final Semaphore told = new Semaphore(0);
    private final Loops loops = new Loops();
    private volatile boolean away;
    private volatile @Nullable Error broken;

    private Watches watches(Duration interval) {
        return new Watches(
                prefixes -> {
                    asked.incrementAndGet();
                    answered.release();
                    if (away) {
                        throw new StoreUnavailableException("away");
                    }
                    Error thrown = broken;
                    if (thrown != null) {
                        throw thrown;
                    }
                    assertThat(prefixes).containsExactly("group/");
                    return Map.of("group/", "" + version.get());
                },
                interval,
                loops);
    }

    private static void await(Semaphore signal) throws InterruptedException {
        assertThat(signal.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
    }

    /** So many answers later, whatever was seen before has been told. */
    private void awaitAnswers(int number) throws InterruptedException {
        answered.drainPermits();
        assertThat(answered.tryAcquire(number, 20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aChangeOfThisProcessIsToldWithoutAskingTheDatabase() throws Exception {
        try (Watches watches = watches(NEVER);
                Watch watch = watches.open("group/", key -> told.release())) {
            await(told);
            watches.changed("group/a");
            await(told);
            watches.changed("groups/a");
            watches.changed("group/b");
            await(told);
            assertThat(told.availablePermits()).isZero();
            assertThat(asked).hasValue(1);
            assertThat(watch).isNotNull();
        }
    }

    @Test
    void whatHasNotChangedIsToldOnceAndWhatHasIsToldAgain() throws Exception {
        try (Watches watches = watches(OFTEN);
                Watch watch = watches.open("group/", key -> told.release())) {
            await(told);
            awaitAnswers(3);
            assertThat(told.availablePermits()).isZero();
            version.incrementAndGet();
            await(told);
            assertThat(watch).isNotNull();
        }
    }

    @Test
    void afterTheDatabaseWasAwayEverybodyIsTold() throws Exception {
        try (Watches watches = watches(OFTEN);
                Watch watch = watches.open("group/", key -> told.release())) {
            await(told);
            away = true;
            awaitAnswers(3);
            told.drainPermits();
            away = false;
            await(told);
            assertThat(watch).isNotNull();
        }
    }

    /** An Error of the driver, say: the watches go on, and health hears of it meanwhile. */
    @Test
    void whateverTheDatabaseThrowsTheWatchesGoOn() throws Exception {
        try (Watches watches = watches(OFTEN);
                Watch watch = watches.open("group/", key -> told.release())) {
            await(told);
            broken = new NoClassDefFoundError("on purpose");
            awaitAnswers(1);
            while (loops.failing().isEmpty()) {
                Thread.onSpinWait();
            }
            assertThat(loops.failing().getFirst().loop()).isEqualTo("sluice-jdbc-watches");
            told.drainPermits();
            watches.changed("group/a");
            await(told);
            broken = null;
            version.incrementAndGet();
            await(told);
            while (!loops.failing().isEmpty()) {
                Thread.onSpinWait();
            }
            assertThat(watch).isNotNull();
        }
    }

    @Test
    void nobodyIsAskedWhileNobodyWatches() throws Exception {
        try (Watches watches = watches(OFTEN)) {
            Watch watch = watches.open("group/", key -> told.release());
            await(told);
            watch.close();
            Semaphore next = new Semaphore(0);
            // The round that was under way may still have asked.
            awaitQuiet();
            int before = asked.get();
            watches.changed("group/a");
            awaitQuiet();
            assertThat(asked).hasValue(before);
            try (Watch again = watches.open("group/", key -> next.release())) {
                await(next);
                assertThat(again).isNotNull();
            }
        }
    }

    private void awaitQuiet() throws InterruptedException {
        do {
            answered.drainPermits();
        } while (answered.tryAcquire(100, TimeUnit.MILLISECONDS));
    }

    @Test
    void aWatcherThatFailsDoesNotSilenceTheOthers() throws Exception {
        try (Watches watches = watches(OFTEN);
                Watch failing = watches.open("group/", key -> {
                    throw new IllegalStateException("on purpose");
                });
                Watch watch = watches.open("group/", key -> told.release())) {
            await(told);
            version.incrementAndGet();
            await(told);
            assertThat(watch).isNotSameAs(failing);
        }
    }
}

package dev.sluice.worker.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.coordinate.Clockwork;
import dev.sluice.coordinate.VirtualThreads;
import dev.sluice.run.LoopFailure;
import dev.sluice.worker.stream.StreamUnavailableException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A worker's loop that fails or has ended is visible to the health of its process; an outage of NATS is none of these. */
@Timeout(30)
class WorkerLoopsTest {
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicBoolean goesOn = new AtomicBoolean(true);
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicReference<Throwable> fault = new AtomicReference<>();
    private final AtomicInteger steps = new AtomicInteger();
    private final Problems problems = new Problems();
    private final Clockwork clockwork = new Threads();
    private final Clockwork.Signal wake = clockwork.signal();
    private final WorkerLoops loops = new WorkerLoops(clockwork, problems);

    /** Real threads, and a clock that the test sets. */
    private final class Threads implements Clockwork {
        private final VirtualThreads real = new VirtualThreads();

        @Override
        public long nanos() {
            return nanos.get();
        }

        @Override
        public void start(String name, Runnable body) {
            real.start(name, () -> {
                try {
                    body.run();
                } catch (IllegalStateException onPurpose) {
                    // Left to itself it would fail whichever test of this JVM waits with Awaitility just then.
                }
            });
        }

        @Override
        public Signal signal() {
            return real.signal();
        }

        @Override
        public boolean goesOnAfter(Throwable failure) {
            return goesOn.get();
        }
    }

    @AfterEach
    void end() {
        closed.set(true);
        wake.raise();
    }

    private void start(Throwable first) {
        fault.set(first);
        loops.start("worker-feeding-w0", wake, closed::get, this::step);
    }

    private Duration step() {
        steps.incrementAndGet();
        return switch (fault.get()) {
            case RuntimeException failure -> throw failure;
            case Error failure -> throw failure;
            default -> Duration.ofHours(1);
        };
    }

    private void wakeUntil(Runnable assertion) {
        await().untilAsserted(() -> {
            wake.raise();
            assertion.run();
        });
    }

    @Test
    void aFailingLoopIsListedWithItsDurationUntilAStepSucceeds() {
        start(new NoClassDefFoundError("on purpose"));
        wakeUntil(() -> assertThat(steps.get()).isGreaterThan(2));
        nanos.addAndGet(Duration.ofMinutes(2).toNanos());
        LoopFailure failure = loops.failing().getFirst();
        assertThat(failure.loop()).isEqualTo("worker-feeding-w0");
        assertThat(failure.lasting()).isEqualTo(Duration.ofMinutes(2));
        assertThat(failure.ended()).isFalse();
        assertThat(problems.texts()).singleElement().asString().contains("worker-feeding-w0", "on purpose");
        fault.set(new Exception("none"));
        wakeUntil(() -> assertThat(loops.failing()).isEmpty());
        assertThat(problems.texts()).isEmpty();
    }

    @Test
    void anOutageOfNatsIsAProblemOfTheWorkerAndNoReasonToRestartIt() {
        start(new StreamUnavailableException("no answer", null));
        wakeUntil(() -> assertThat(steps.get()).isGreaterThan(2));
        assertThat(problems.texts()).singleElement().asString().contains("no answer");
        assertThat(loops.failing()).isEmpty();
    }

    @Test
    void aLoopThatEndedByItselfStaysListed() {
        goesOn.set(false);
        start(new IllegalStateException("on purpose"));
        await().untilAsserted(() -> assertThat(loops.failing()).singleElement().matches(LoopFailure::ended));
    }
}

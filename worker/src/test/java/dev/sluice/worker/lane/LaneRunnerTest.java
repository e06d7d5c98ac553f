package dev.sluice.worker.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.coordinate.Clockwork;
import dev.sluice.coordinate.VirtualThreads;
import dev.sluice.model.FencingToken;
import dev.sluice.worker.MessageHandler;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.Partition;
import dev.sluice.worker.WorkerCounters;
import dev.sluice.worker.WorkerListener;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.cursor.Cursor;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LaneRunnerTest {
    private final List<String> reasons = new CopyOnWriteArrayList<>();
    private final AtomicBoolean paused = new AtomicBoolean();

    private LaneRunner runner(Cursor start, int messages, MessageHandler handler) {
        return runner(start, messages, handler, WorkerListener.NONE, new VirtualThreads());
    }

    private LaneRunner runner(
            Cursor start, int messages, MessageHandler handler, WorkerListener listener, Clockwork clockwork) {
        Lane lane = new Lane(Partition.open(0, "p", "s"), new FencingToken(1, 1), start, true);
        TestFeed feed = new TestFeed();
        lane.attach(feed);
        for (int i = 1; i <= messages; i++) {
            lane.take(new TestDelivery(i, "s"), feed, true, Instant.EPOCH);
        }
        return new LaneRunner(
                lane,
                () -> true,
                new LaneRunner.Shop(
                        handler,
                        given -> {
                            reasons.add(given.reason());
                            return null;
                        },
                        WorkerSettings.DEFAULT.with(settings -> settings.backoff = List.of(Duration.ofMillis(1))),
                        new WorkerCounters(),
                        listener,
                        clockwork,
                        InstantSource.system(),
                        "w0",
                        paused::get,
                        recorded -> {}));
    }

    @Test
    void aHandlerThatLeavesItsThreadInterruptedDoesNotDisturbTheNextMessage() {
        List<Boolean> interrupted = new CopyOnWriteArrayList<>();
        LaneRunner runner = runner(Cursor.startingAfter(1, 0), 2, (context, message) -> {
            interrupted.add(Thread.currentThread().isInterrupted());
            Thread.currentThread().interrupt();
            return Outcome.done();
        });
        runner.kick();
        await().atMost(Duration.ofSeconds(10)).until(() -> runner.lane().size() == 0);
        assertThat(interrupted).containsExactly(false, false);
    }

    /** Memory may be short twice: in the handling, and when its failure is reported. */
    @Test
    void aMessageWhoseFailureCannotBeReportedIsHandledAgain() {
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger failures = new AtomicInteger();
        WorkerListener listener = new WorkerListener() {
            @Override
            public void handled(Duration took, Outcome outcome) {
                if (failures.getAndIncrement() == 0) {
                    throw new OutOfMemoryError("in the handling");
                }
            }
        };
        Clockwork clockwork = new ShortOfMemory(failures);
        LaneRunner runner = runner(
                Cursor.startingAfter(1, 0),
                1,
                (context, message) -> {
                    calls.incrementAndGet();
                    return Outcome.done();
                },
                listener,
                clockwork);
        runner.kick();
        await().atMost(Duration.ofSeconds(10)).until(() -> runner.lane().size() == 0);
        assertThat(calls).hasValue(2);
    }

    /** Has no signal to give right after the first failure. */
    private static final class ShortOfMemory implements Clockwork {
        private final Clockwork threads = new VirtualThreads();
        private final AtomicInteger failures;

        ShortOfMemory(AtomicInteger failures) {
            this.failures = failures;
        }

        @Override
        public long nanos() {
            return threads.nanos();
        }

        @Override
        public void start(String name, Runnable body) {
            threads.start(name, () -> {
                try {
                    body.run();
                } catch (OutOfMemoryError ended) {
                    // Its thread is over.
                }
            });
        }

        @Override
        public Signal signal() {
            if (failures.compareAndSet(1, 2)) {
                throw new OutOfMemoryError("when the failure is reported");
            }
            return threads.signal();
        }
    }

    @Test
    void noAttemptBeginsWhileTheWorkerIsPaused() {
        AtomicInteger calls = new AtomicInteger();
        LaneRunner runner = runner(Cursor.startingAfter(1, 0), 1, (context, message) -> {
            calls.incrementAndGet();
            paused.set(true);
            return Outcome.retry("not now");
        });
        runner.kick();
        await().atMost(Duration.ofSeconds(10))
                .until(() -> calls.get() == 1 && !runner.lane().isRunning());
        assertThat(reasons).as("dead letters").isEmpty();
        paused.set(false);
        runner.kick();
        await().atMost(Duration.ofSeconds(10)).until(() -> calls.get() == 2);
    }

    @Test
    void aMessageThatKilledItsWorkersIsKeptWithThatReason() {
        Cursor afterDeaths = new Cursor(1, 0, List.of(), 1, 3, 3);
        LaneRunner runner = runner(afterDeaths, 1, (context, message) -> Outcome.done());
        runner.kick();
        await().atMost(Duration.ofSeconds(10)).until(() -> runner.lane().size() == 0);
        assertThat(reasons).containsExactly("it was tried 3 times by workers that died while they handled it");
    }
}

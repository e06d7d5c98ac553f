package dev.sluice.worker.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.worker.Worker;
import dev.sluice.worker.WorkerStatus;
import dev.sluice.worker.chaos.RecordedStream.Update;
import io.nats.client.api.RetentionPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Draft 002 §10, "rapid scale cycles": workers multiply and go again within a minute. A worker changes its durable consumer
 * at most once per {@code min_update_interval}, keeps its lease, and nothing is lost.
 */
class RapidScaleTest {
    private static final int STARTS_AT_ONCE = 10;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration SETTLES_WITHIN = Duration.ofSeconds(15);
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    /** Between the engine's look at the clock and the test's. */
    private static final Duration MEASURED_LATE = Duration.ofMillis(50);

    @Test
    void fiveWorkersBecomeFifteenAndFiveAgain() throws Exception {
        cycle(5, 15, 40);
    }

    @Test
    @Tag("soak")
    void twentyFiveWorkersBecomeAHundredAndTwentyFiveAgainWithinAMinute() throws Exception {
        cycle(25, 100, 400);
    }

    private static void cycle(int few, int many, int partitions) throws Exception {
        try (NatsServer server = NatsServer.startPrivate(NatsLine.NEWEST);
                LocalWorkers stage = new LocalWorkers(server, "rapid", partitions, RetentionPolicy.Limits)) {
            List<Worker> stay = start(stage, few, 0);
            stage.publish(2);
            stage.awaitSettled(few);
            AtomicBoolean publishing = new AtomicBoolean(true);
            Thread publisher = Thread.ofVirtual().start(() -> {
                while (publishing.get()) {
                    stage.publish(1);
                }
            });
            long begin = System.nanoTime();
            List<Worker> come = start(stage, many - few, few);
            await().atMost(MINUTE).until(() -> come.stream().allMatch(RapidScaleTest::isAtWork));
            stop(stage, come);
            Duration took = since(begin);
            long last = System.nanoTime();
            await().atMost(MINUTE).pollInterval(Duration.ofMillis(100)).until(() -> stage.isSettled(few));
            Duration settled = since(last);
            publishing.set(false);
            publisher.join();
            stage.awaitHandled();
            Verdict verdict = stage.ledger.verdict();
            System.out.printf(
                    "%d -> %d -> %d workers in %.1f s, settled after %.1f s; %s; %d updates, most per worker %d%n",
                    few,
                    many,
                    few,
                    took.toMillis() / 1e3,
                    settled.toMillis() / 1e3,
                    verdict,
                    stay.stream()
                            .mapToInt(worker -> stage.recorded(worker).updates().size())
                            .sum(),
                    stay.stream()
                            .mapToInt(worker -> stage.recorded(worker).updates().size())
                            .max()
                            .orElse(0));
            verdict.assertClean();
            assertThat(settled).isLessThan(SETTLES_WITHIN);
            for (Worker worker : both(stay, come)) {
                assertThat(worker.groupCounters().deaths()).as("leases lost").isZero();
                assertAtMostOneUpdatePerInterval(stage.recorded(worker));
            }
            assertThat(took)
                    .as("the machine was too slow for a cycle within a minute")
                    .isLessThan(MINUTE);
        }
    }

    private static List<Worker> both(List<Worker> some, List<Worker> others) {
        List<Worker> all = new ArrayList<>(some);
        all.addAll(others);
        return all;
    }

    private static boolean isAtWork(Worker worker) {
        WorkerStatus status = worker.status();
        return status.state() == WorkerStatus.State.RUNNING && !status.lanes().isEmpty();
    }

    private static void assertAtMostOneUpdatePerInterval(RecordedStream stream) {
        List<Update> updates = stream.updates();
        for (int k = 1; k < updates.size(); k++) {
            assertThat(Duration.ofNanos(updates.get(k).at() - updates.get(k - 1).at()))
                    .as("from %s to %s", updates.get(k - 1), updates.get(k))
                    .isGreaterThanOrEqualTo(INTERVAL.minus(MEASURED_LATE));
        }
    }

    private static List<Worker> start(LocalWorkers stage, int count, int first) throws Exception {
        List<Callable<Worker>> calls = new ArrayList<>();
        for (int k = 0; k < count; k++) {
            String name = "w" + (first + k);
            calls.add(() -> stage.start(name, draft -> draft.minUpdateInterval = INTERVAL));
        }
        return all(calls);
    }

    private static void stop(LocalWorkers stage, List<Worker> workers) throws Exception {
        List<Callable<Boolean>> calls = new ArrayList<>();
        for (Worker worker : workers) {
            calls.add(() -> {
                stage.stop(worker);
                return true;
            });
        }
        all(calls);
    }

    private static <T> List<T> all(List<Callable<T>> calls) throws InterruptedException, ExecutionException {
        try (ExecutorService threads = Executors.newFixedThreadPool(STARTS_AT_ONCE)) {
            List<T> results = new ArrayList<>();
            for (Future<T> future : threads.invokeAll(calls)) {
                results.add(future.get());
            }
            return results;
        }
    }

    private static Duration since(long begin) {
        return Duration.ofNanos(System.nanoTime() - begin);
    }
}

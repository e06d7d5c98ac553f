package dev.sluice.worker.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.worker.LaneStatus;
import dev.sluice.worker.Worker;
import dev.sluice.worker.partition.Partitions;
import io.nats.client.api.RetentionPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The scenarios that draft 002 lists in §10 and §12, each as a named test, on a real server. In the order of the draft:
 *
 * <table>
 * <caption>Scenario and test</caption>
 * <tr><td>subject diffing: add, remove, no-op</td><td>{@code ConsumerUpdatesTest}, {@link #aRebalanceLosesAndRepeatsNothing}, {@link #anUnchangedAssignmentUpdatesNothing}</td></tr>
 * <tr><td>deduplication</td><td>{@link #duplicateSubjectsAreRemovedAndCounted}, {@code PartitionsTest}</td></tr>
 * <tr><td>immutable fields</td><td>{@code ConsumerFieldsTest}</td></tr>
 * <tr><td>maximum of subjects</td><td>{@link #moreSubjectsThanTheCapAreAnExplicitError}</td></tr>
 * <tr><td>end to end</td><td>{@link #oneConsumerReceivesManySubjectsAndAcknowledgesThem}</td></tr>
 * <tr><td>rebalance in two phases</td><td>{@link #aRebalanceLosesAndRepeatsNothing}</td></tr>
 * <tr><td>rolling restart</td><td>{@link #aRollingRestartReclaimsTheWorkerIdAndGoesOnWhereItWas}; the id and the cursors go on, the consumer is a new one</td></tr>
 * <tr><td>high churn</td><td>{@link #highChurnIsCoalescedIntoFewUpdates}</td></tr>
 * <tr><td>performance</td><td>{@code sluice bench worker}</td></tr>
 * <tr><td>outage during an update</td><td>{@link #anOutageDuringAnUpdateIsRetriedWhileTheOldConfigurationWorksOn}, {@code UpdatePaceTest}</td></tr>
 * <tr><td>handler panic</td><td>{@link #anErrorOfAHandlerIsRetriedInPlaceThenKeptAsADeadLetter}</td></tr>
 * <tr><td>update during active processing</td><td>{@link #anUpdateDuringActiveProcessingMissesNothing}</td></tr>
 * <tr><td>rapid scale cycles</td><td>{@link RapidScaleTest}</td></tr>
 * <tr><td>breach of the cap</td><td>{@link #moreSubjectsThanTheCapAreAnExplicitError}</td></tr>
 * <tr><td>server restart in mid-rebalance</td><td>{@link #aServerRestartInMidRebalanceNeedsNoHand}, {@link WorkerChaosTest}</td></tr>
 * <tr><td>soak</td><td>{@link WorkerSoakTest}, {@link WorkerChaosSoakTest}</td></tr>
 * <tr><td>partition explosion</td><td>{@link #moreSubjectsThanTheCapAreSpreadOverShards}</td></tr>
 * <tr><td>duplicate subjects</td><td>{@link #duplicateSubjectsAreRemovedAndCounted}</td></tr>
 * <tr><td>large wave of reassignments</td><td>{@link #aLargeWaveOfReassignmentsLosesNothing}, {@code AdaptiveBatchTest}</td></tr>
 * <tr><td>paused worker, its consumer deleted</td><td>{@link #aPausedWorkerWhoseConsumerIsDeletedGoesOnAfterResume}</td></tr>
 * <tr><td>close during an update</td><td>{@link SilentServerTest}</td></tr>
 * <tr><td>handler slowdown</td><td>{@link #aSlowHandlerReducesTheBatch}, {@code AdaptiveBatchTest}</td></tr>
 * </table>
 */
class DraftScenariosTest {

    @TempDir
    Path folder;

    @Test
    void oneConsumerReceivesManySubjectsAndAcknowledgesThem() throws Exception {
        try (LocalWorkers stage = stage("endtoend", 20)) {
            stage.start("a", draft -> {});
            stage.publish(10);
            stage.awaitHandled();
            stage.awaitSettled(1);
            stage.publish(10);
            stage.awaitHandled();
            stage.ledger.verdict().assertClean();
            assertThat(stage.ledger.verdict().duplicates()).isZero();
            assertThat(stage.consumers()).hasSize(1);
        }
    }

    @Test
    void anUnchangedAssignmentUpdatesNothing() throws Exception {
        try (LocalWorkers stage = stage("unchanged", 4)) {
            Worker worker = stage.start("a", draft -> {});
            stage.publish(1);
            stage.awaitSettled(1);
            int updates = stage.recorded(worker).updates().size();
            // More workers than partitions: the last one gets nothing, and nothing moves.
            List<Worker> others = new ArrayList<>();
            for (String name : List.of("b", "c", "d", "e")) {
                others.add(stage.start(name, draft -> {}));
            }
            stage.awaitSettled(5);
            Worker idle = others.stream()
                    .filter(each -> each.status().lanes().isEmpty())
                    .findAny()
                    .orElseThrow();
            assertThat(stage.recorded(idle).created()).isEmpty();
            assertThat(stage.consumers()).hasSize(4);
            stage.stop(idle);
            stage.publish(3);
            stage.awaitHandled();
            assertThat(stage.isSettled(4)).isTrue();
            assertThat(stage.recorded(worker).updates().size()).isLessThanOrEqualTo(updates + 3);
        }
    }

    @Test
    void aRebalanceLosesAndRepeatsNothing() throws Exception {
        try (LocalWorkers stage = stage("rebalance", 20);
                Tail tail = new Tail(stage)) {
            Worker first = stage.start("a", draft -> {});
            stage.awaitSettled(1);
            Worker second = stage.start("b", draft -> {});
            stage.awaitSettled(2);
            assertThat(first.status().lanes()).hasSize(10);
            assertThat(second.status().lanes()).hasSize(10);
            stage.stop(first);
            stage.awaitSettled(1);
            tail.stop();
            stage.awaitHandled();
            stage.ledger.verdict().assertClean();
            assertThat(stage.ledger.verdict().duplicates()).isZero();
        }
    }

    @Test
    void aRollingRestartReclaimsTheWorkerIdAndGoesOnWhereItWas() throws Exception {
        try (LocalWorkers stage = stage("rolling", 12);
                Tail tail = new Tail(stage)) {
            List<String> before = new ArrayList<>();
            for (int k = 0; k < 3; k++) {
                before.add(startWithFile(stage, k).status().worker());
            }
            stage.awaitSettled(3);
            for (int k = 0; k < 3; k++) {
                stage.stop(stage.workers.getFirst());
                assertThat(startWithFile(stage, k).status().worker()).isEqualTo(before.get(k));
                stage.awaitSettled(3);
            }
            tail.stop();
            stage.awaitHandled();
            stage.ledger.verdict().assertClean();
            assertThat(stage.ledger.verdict().duplicates()).isZero();
        }
    }

    @Test
    void highChurnIsCoalescedIntoFewUpdates() throws Exception {
        try (LocalWorkers stage = stage("churn", 24)) {
            Worker stays = stage.start("stays", draft -> draft.minUpdateInterval = Duration.ofSeconds(1));
            stage.publish(1);
            stage.awaitSettled(1);
            int before = stage.recorded(stays).updates().size();
            long skipped = stays.counters().updatesSkipped.sum();
            long begin = System.nanoTime();
            int changes = 0;
            for (int round = 0; round < 3; round++) {
                List<Worker> come = new ArrayList<>();
                for (int k = 0; k < 3; k++) {
                    come.add(stage.start("r" + round + k, draft -> {}));
                    changes++;
                }
                // Partitions move, so that the one that stays has something to skip.
                await().atMost(LocalWorkers.SOON)
                        .until(() -> stays.status().lanes().size() < 24);
                stage.publish(1);
                for (Worker worker : come) {
                    stage.stop(worker);
                    changes++;
                }
            }
            stage.awaitSettled(1);
            stage.awaitHandled();
            long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds();
            int updates = stage.recorded(stays).updates().size() - before;
            assertThat((long) updates).isLessThanOrEqualTo(Math.min(changes, seconds + 2));
            assertThat(stays.counters().updatesSkipped.sum()).isGreaterThan(skipped);
            stage.ledger.verdict().assertClean();
        }
    }

    @Test
    void anOutageDuringAnUpdateIsRetriedWhileTheOldConfigurationWorksOn() throws Exception {
        try (LocalWorkers stage = stage("outage", 8)) {
            Worker first = stage.start("a", draft -> {});
            Worker second = stage.start("b", draft -> {});
            stage.publish(5);
            stage.awaitSettled(2);
            RecordedStream seen = stage.recorded(first);
            seen.away = true;
            stage.stop(second);
            await().atMost(LocalWorkers.SOON)
                    .until(() -> first.counters().updateFailures.sum() >= 2);
            long handled = first.counters().handled.sum();
            stage.publish(5);
            // What it had it still handles: four partitions, five messages.
            await().atMost(LocalWorkers.SOON)
                    .until(() -> first.counters().handled.sum() >= handled + 20);
            seen.away = false;
            stage.awaitSettled(1);
            stage.awaitHandled();
            stage.ledger.verdict().assertClean();
        }
    }

    @Test
    void anErrorOfAHandlerIsRetriedInPlaceThenKeptAsADeadLetter() throws Exception {
        try (LocalWorkers stage = stage("panic", 1)) {
            AtomicInteger calls = new AtomicInteger();
            Worker worker = stage.start(
                    "a",
                    draft -> draft.deadLetters = "panic-dead",
                    Partitions.list(stage.subjects()),
                    (context, message) -> {
                        if (ChaosArguments.number(message.data()) == 2) {
                            calls.incrementAndGet();
                            throw new StackOverflowError("a test");
                        }
                        return stage.handler("a").handle(context, message);
                    });
            stage.publish(3);
            await().atMost(LocalWorkers.SOON).until(() -> stage.ledger.missing() == 1 && calls.get() == 3);
            await().atMost(LocalWorkers.SOON)
                    .until(() -> worker.counters().deadLettered.sum() == 1);
            assertThat(worker.counters().retried.sum()).isEqualTo(3);
            assertThat(worker.status().lanes().getFirst().waiting()).isEqualTo(LaneStatus.Waiting.NO);
        }
    }

    @Test
    void anUpdateDuringActiveProcessingMissesNothing() throws Exception {
        try (LocalWorkers stage = stage("active", 6)) {
            CountDownLatch go = new CountDownLatch(1);
            AtomicInteger running = new AtomicInteger();
            stage.start("a", draft -> {}, Partitions.list(stage.subjects()), (context, message) -> {
                running.incrementAndGet();
                go.await();
                return stage.handler("a").handle(context, message);
            });
            stage.publish(20);
            await().atMost(LocalWorkers.SOON).until(() -> running.get() == 6);
            Worker second = stage.start("b", draft -> {});
            go.countDown();
            await().atMost(LocalWorkers.SOON)
                    .until(() -> second.status().lanes().size() == 3);
            stage.awaitHandled();
            stage.ledger.verdict().assertClean();
        }
    }

    @Test
    void moreSubjectsThanTheCapAreAnExplicitError() throws Exception {
        try (LocalWorkers stage = stage("cap", 6)) {
            Worker worker = stage.start("a", draft -> draft.maxSubjects = 4);
            stage.publish(1);
            await().atMost(LocalWorkers.SOON)
                    .untilAsserted(() -> assertThat(worker.status().problems())
                            .anySatisfy(problem -> assertThat(problem).contains("max_subjects", "start more workers")));
            stage.publish(3);
            stage.awaitHandled();
            stage.start("b", draft -> draft.maxSubjects = 4);
            await().atMost(LocalWorkers.SOON)
                    .untilAsserted(() -> assertThat(worker.status().problems()).isEmpty());
        }
    }

    @Test
    void aPausedWorkerWhoseConsumerIsDeletedGoesOnAfterResume() throws Exception {
        try (LocalWorkers stage = stage("paused", 6)) {
            Worker worker = stage.start("a", draft -> {});
            stage.publish(5);
            stage.awaitHandled();
            stage.awaitSettled(1);
            worker.pause();
            List<String> deleted = stage.consumers();
            stage.publish(5);
            stage.deleteConsumers();
            stage.publish(5);
            assertThat(stage.ledger.accepted())
                    .as("nothing is handled while paused")
                    .isEqualTo(6 * 5);
            worker.resume();
            stage.awaitHandled();
            stage.awaitSettled(1);
            assertThat(stage.consumers()).doesNotContainAnyElementsOf(deleted);
            stage.ledger.verdict().assertClean();
            assertThat(stage.ledger.verdict().duplicates()).isZero();
        }
    }

    @Test
    void aServerRestartInMidRebalanceNeedsNoHand() throws Exception {
        try (NatsServer server = NatsServer.startPrivate(NatsLine.NEWEST);
                LocalWorkers stage = new LocalWorkers(server, "restart", 12, RetentionPolicy.Limits)) {
            stage.publish(50);
            stage.start("a", draft -> {});
            await().atMost(LocalWorkers.SOON).until(() -> stage.ledger.accepted() > 12);
            stage.start("b", draft -> {});
            server.restart();
            stage.publish(20);
            stage.awaitHandled();
            stage.awaitSettled(2);
            stage.ledger.verdict().assertClean();
        }
    }

    @Test
    void moreSubjectsThanTheCapAreSpreadOverShards() throws Exception {
        try (LocalWorkers stage = stage("shards", 6)) {
            stage.start("a", draft -> {
                draft.maxSubjects = 4;
                draft.shards = 2;
            });
            stage.publish(5);
            stage.awaitHandled();
            await().atMost(LocalWorkers.SOON).until(() -> stage.consumers().size() == 2);
            stage.ledger.verdict().assertClean();
        }
    }

    @Test
    void duplicateSubjectsAreRemovedAndCounted() throws Exception {
        try (LocalWorkers stage = stage("twice", 3)) {
            List<String> subjects = new ArrayList<>(stage.subjects());
            subjects.add(subjects.getFirst());
            Worker worker = stage.start("a", draft -> {}, Partitions.list(subjects), stage.handler("a"));
            stage.publish(3);
            stage.awaitHandled();
            assertThat(worker.status().lanes()).hasSize(3);
            assertThat(worker.counters().duplicateSubjects.sum()).isEqualTo(1);
            stage.ledger.verdict().assertClean();
            assertThat(stage.ledger.verdict().duplicates()).isZero();
        }
    }

    @Test
    void aLargeWaveOfReassignmentsLosesNothing() throws Exception {
        try (LocalWorkers stage = stage("wave", 60)) {
            List<Worker> workers = new ArrayList<>();
            for (int k = 0; k < 6; k++) {
                workers.add(stage.start("w" + k, draft -> {}));
            }
            stage.publish(3);
            stage.awaitSettled(6);
            for (Worker worker : workers.subList(1, 6)) {
                stage.publish(2);
                stage.stop(worker);
            }
            stage.publish(2);
            stage.awaitHandled();
            stage.awaitSettled(1);
            stage.ledger.verdict().assertClean();
            assertThat(stage.ledger.verdict().duplicates()).isZero();
        }
    }

    @Test
    void aSlowHandlerReducesTheBatch() throws Exception {
        try (LocalWorkers stage = stage("slow", 2)) {
            AtomicBoolean slow = new AtomicBoolean();
            Worker worker = stage.start(
                    "a", draft -> draft.batch = 50, Partitions.list(stage.subjects()), (context, message) -> {
                        if (slow.get()) {
                            TimeUnit.MILLISECONDS.sleep(20);
                        }
                        return stage.handler("a").handle(context, message);
                    });
            stage.publish(50);
            stage.awaitHandled();
            int quick = stage.recorded(worker).wanted().stream()
                    .mapToInt(each -> each)
                    .max()
                    .orElse(0);
            slow.set(true);
            int from = stage.recorded(worker).wanted().size();
            stage.publish(100);
            await().atMost(LocalWorkers.SOON)
                    .until(() -> stage.recorded(worker).wanted().stream()
                            .skip(from)
                            .anyMatch(wanted -> wanted > 0 && wanted < quick / 2));
            slow.set(false);
            stage.awaitHandled();
        }
    }

    private Worker startWithFile(LocalWorkers stage, int k) throws Exception {
        Worker worker = stage.start("w" + k, draft -> draft.idFile = folder.resolve("w" + k));
        await().atMost(LocalWorkers.SOON).until(() -> !worker.status().worker().isEmpty());
        return worker;
    }

    private static LocalWorkers stage(String name, int partitions) throws Exception {
        return new LocalWorkers(NatsServer.shared(NatsLine.NEWEST), name, partitions, RetentionPolicy.Limits);
    }

    /** Publishes to every partition until it is stopped. */
    private static final class Tail implements AutoCloseable {
        private final AtomicBoolean goesOn = new AtomicBoolean(true);
        private final Thread thread;

        private Tail(LocalWorkers stage) {
            thread = Thread.ofVirtual().start(() -> {
                while (goesOn.get()) {
                    stage.publish(1);
                }
            });
        }

        private void stop() throws InterruptedException {
            goesOn.set(false);
            thread.join();
        }

        @Override
        public void close() throws InterruptedException {
            stop();
        }
    }
}

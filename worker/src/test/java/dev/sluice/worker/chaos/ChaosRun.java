package dev.sluice.worker.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.nats.NatsCoordinationStore;
import dev.sluice.testkit.servers.NatsLine;
import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStreamApiException;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.RetentionPolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** One run of the suite on one kind of stream: servers, ledger, publisher and workers together. */
final class ChaosRun implements AutoCloseable {
    static final int PARTITIONS = 12;
    static final String STREAM = "CHAOS";
    static final String PREFIX = "chaos";
    private static final int BACKLOG = 150;
    private static final int LOST_DELIVERIES = 20;
    private static final Duration LOOK_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration STANDSTILL = Duration.ofSeconds(60);
    /** Longer than the draft's AckWait. */
    private static final Duration STANDSTILL_OF_THE_DRAFT = Duration.ofSeconds(4);

    /** What is combined: 12 of them on single servers. */
    record Combination(RetentionPolicy retention, String mode, NatsLine line) {
        @Override
        public String toString() {
            return (retention + "-" + mode + "-" + line)
                    .toLowerCase(Locale.ROOT)
                    .replace("_", "");
        }
    }

    private final Combination combination;
    private final ChaosServer server;
    private final Duration standstill;
    private final HandlingLedger ledger = new HandlingLedger();
    private final DraftLeader draft = new DraftLeader(PARTITIONS);
    private final LedgerServer witness;
    private final Connection connection;
    private final CoordinationStore store;
    private final CursorWitness cursors;
    private final ChaosPublisher publisher;
    private final WorkerChaos chaos;

    ChaosRun(WorkerProgram program, Combination combination, ChaosServer server, Duration lease, Path folder, long seed)
            throws Exception {
        this.combination = combination;
        this.server = server;
        this.standstill = program == WorkerProgram.DRAFT ? STANDSTILL_OF_THE_DRAFT : STANDSTILL;
        server.createStream(STREAM, combination.retention);
        witness = new LedgerServer(ledger, draft);
        publisher = new ChaosPublisher(server.urls(), ledger, PARTITIONS);
        connection = Nats.connect(Options.builder()
                .servers(server.urls().split(","))
                .maxReconnects(-1)
                .reconnectWait(Duration.ofMillis(200))
                .errorListener(new ErrorListener() {})
                .build());
        store = NatsCoordinationStore.over(connection, ChaosWorker.BUCKET, server.replicas(), LOOK_TIMEOUT);
        cursors = new CursorWitness(store, PREFIX, ledger.saved());
        int dropped = program == WorkerProgram.DRAFT ? 0 : LOST_DELIVERIES;
        chaos = new WorkerChaos(
                "chaos-" + combination,
                program,
                server,
                ledger,
                draft,
                new Random(seed),
                worker -> new ChaosArguments(
                        worker.urls(),
                        server.replicas(),
                        STREAM,
                        PREFIX,
                        worker.name(),
                        witness.port(),
                        PARTITIONS,
                        combination.mode,
                        dropped,
                        lease,
                        folder,
                        worker.seed()));
    }

    WorkerChaos chaos() {
        return chaos;
    }

    /** Workers at work on a backlog, with a tail behind it. */
    void begin() throws Exception {
        if (combination.retention == RetentionPolicy.Interest) {
            // Only what has a consumer is stored: workers come, and leave their consumers behind.
            chaos.startFirst();
            awaitInterest();
            publisher.backlog(1);
            awaitHandled();
            chaos.stopAll();
        }
        publisher.backlog(BACKLOG);
        chaos.startFirst();
        publisher.startTail();
        awaitHandledAtLeast(PARTITIONS);
    }

    private void awaitInterest() throws Exception {
        try (Connection connection = Nats.connect(server.urls().split(",")[0])) {
            var management = connection.jetStreamManagement();
            await().ignoreExceptions()
                    .atMost(STANDSTILL)
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> {
                        Set<String> filters = new HashSet<>();
                        management
                                .getConsumers(STREAM)
                                .forEach(consumer -> filters.addAll(
                                        consumer.getConsumerConfiguration().getFilterSubjects()));
                        return filters.size() == PARTITIONS;
                    });
        }
    }

    /** Ends all harms and the publisher, and waits until everything is handled, or nothing more happens. */
    Verdict end() throws InterruptedException {
        chaos.heal();
        publisher.stop();
        awaitHandled();
        Verdict verdict = ledger.verdict();
        System.out.printf("%s: %s%n%s: %s%n", combination, chaos.done(), combination, verdict);
        if (!verdict.isClean()) {
            System.out.println(verdict.details());
            describeStream();
        }
        return verdict;
    }

    /** For whoever looks for the cause of a loss: what the server still has, and which consumers wait for what. */
    private void describeStream() {
        try (Connection connection = Nats.connect(server.urls().split(",")[0])) {
            var management = connection.jetStreamManagement();
            System.out.println(management.getStreamInfo(STREAM).getStreamState());
            management.getConsumers(STREAM).forEach(System.out::println);
        } catch (IOException | JetStreamApiException | InterruptedException e) {
            System.out.println("The stream cannot be described: " + e);
        }
    }

    /**
     * Waits until there are as many consumers as workers, or as partitions in that mode. On work queues a worker keeps up to
     * {@code max_singles} besides.
     */
    void awaitFewConsumers() throws Exception {
        int most = combination.mode.equals("PER_WORKER") && combination.retention != RetentionPolicy.WorkQueue
                ? chaos.living()
                : PARTITIONS;
        try (Connection connection = Nats.connect(server.urls().split(",")[0])) {
            await().ignoreExceptions()
                    .atMost(STANDSTILL)
                    .pollInterval(Duration.ofMillis(100))
                    .untilAsserted(
                            () -> assertThat(connection.jetStreamManagement().getConsumerNames(STREAM))
                                    .hasSizeLessThanOrEqualTo(most));
        }
    }

    private void awaitHandledAtLeast(long count) throws InterruptedException {
        long deadline = System.nanoTime() + STANDSTILL.toNanos();
        while (ledger.accepted() < count && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private void awaitHandled() throws InterruptedException {
        long accepted = -1;
        long changed = System.nanoTime();
        while (ledger.missing() > 0 && System.nanoTime() - changed < standstill.toNanos()) {
            TimeUnit.MILLISECONDS.sleep(20);
            if (ledger.accepted() != accepted) {
                accepted = ledger.accepted();
                changed = System.nanoTime();
            }
        }
    }

    @Override
    public void close() throws Exception {
        chaos.close();
        cursors.close();
        store.close();
        connection.close();
        publisher.close();
        witness.close();
    }
}

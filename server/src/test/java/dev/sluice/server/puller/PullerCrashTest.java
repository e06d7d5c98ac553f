package dev.sluice.server.puller;

import static dev.sluice.server.puller.PullerSetup.SOON;
import static dev.sluice.server.puller.PullerSetup.freePort;
import static dev.sluice.server.puller.PullerSetup.reachedWhileGrowing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.client.ConsumerOptions;
import dev.sluice.client.EventConsumer;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.model.Partitioner;
import dev.sluice.testkit.ledger.Expectation;
import dev.sluice.testkit.ledger.Finding;
import dev.sluice.testkit.ledger.Ledger;
import dev.sluice.testkit.ledger.LedgerReport;
import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code kill -9} of the Puller at random instants under load. The long version: {@code -Dsluice.crash.rounds=100}; a
 * failed run is repeated with {@code -Dsluice.crash.seed}.
 */
@Tag("crash")
@Order(3)
class PullerCrashTest {
    private static final int ROUNDS = Integer.getInteger("sluice.crash.rounds", 10);
    private static final long SEED = Long.getLong("sluice.crash.seed", System.nanoTime());
    private static final Partitioner PARTITIONS = new Partitioner(4);
    private static final Set<Integer> SHARE = Set.of(0, 2);

    @TempDir
    Path folder;

    @Test
    void nothingIsLostOrReorderedHoweverOftenThePullerIsKilled() throws Exception {
        System.out.println("PullerCrashTest: seed " + SEED + ", rounds " + ROUNDS);
        var random = new SplittableRandom(SEED);
        var grpc = freePort();
        var ledger = new Ledger()
                .expect("slow", Expectation.everyVersion())
                .expect("reconnecting", Expectation.everyVersion())
                .expect("coalescing", Expectation.newestVersion())
                .expect("filtered", Expectation.everyVersion().of(PullerCrashTest::isShared));
        try (var east = DevMongo.builder().start();
                var west = DevMongo.builder().start()) {
            var config = folder.resolve("sluice.yaml");
            Files.writeString(
                    config,
                    new PullerSetup(folder.resolve("data"))
                            .backend("east", east)
                            .backend("west", west)
                            .backendOptions("start: earliest")
                            .ports(grpc, 0)
                            .puller("consumer: {catch_up_threshold: 50}\n")
                            .yaml());
            var address = "127.0.0.1:" + grpc;
            try (var puller = ChildProcess.start(ProcessSpec.sluice("crashing", "run", "--config", config.toString())
                            .withJvmOptions("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
                    var eastWriter = new VersionWriter("east", east, ledger);
                    var westWriter = new VersionWriter("west", west, ledger);
                    var slow = new LedgerConsumer("slow", address, ledger, options -> options, 4);
                    var reconnecting = new LedgerConsumer("reconnecting", address, ledger, options -> options, 0);
                    var coalescing =
                            new LedgerConsumer("coalescing", address, ledger, ConsumerOptions::coalesceOnCatchUp, 0);
                    var filtered = new LedgerConsumer(
                            "filtered", address, ledger, options -> options.partitions(SHARE, 4), 0)) {
                for (var round = 0; round < ROUNDS; round++) {
                    puller.awaitLine("puller started", SOON);
                    Thread.sleep(random.nextInt(100, 2500));
                    puller.kill9();
                    puller.restart();
                    reconnecting.crash();
                }
                eastWriter.close();
                westWriter.close();
                settle(ledger);

                var report = ledger.report();
                System.out.println(report + "\nkilled " + ROUNDS + " times");
                report.assertClean();
                for (var exact : List.of("slow", "filtered")) {
                    assertThat(report.of(exact).count(Finding.DUPLICATE))
                            .as("%s goes on behind the last event it handled", exact)
                            .isZero();
                }
                assertThat(report.of("reconnecting").count(Finding.DUPLICATE))
                        .as("what it had handled behind its saved marker when it crashed")
                        .isLessThanOrEqualTo(reconnecting.handledBehindSavedMarker());
                assertThat(report.of("coalescing").count(Finding.DUPLICATE))
                        .as("at most one window, of one event per document, per connection")
                        .isLessThanOrEqualTo((ROUNDS + 1L) * 2 * VersionWriter.DOCUMENTS);
                var seen = new HashSet<String>();
                List.of(slow, reconnecting, coalescing, filtered).forEach(consumer -> seen.addAll(consumer.seen()));
                assertThat(inTheLog(address, seen.size()))
                        .as("what was seen is in the log")
                        .containsAll(seen);
            }
        }
    }

    /** A slow consumer may take as long as it likes: only standing still with something owed is a fault. */
    static void settle(Ledger ledger) throws InterruptedException {
        reachedWhileGrowing(() -> ledger.report().isClean(), () -> arrivals(ledger), SOON);
    }

    private static long arrivals(Ledger ledger) {
        var report = ledger.report();
        return report.count(Finding.DUPLICATE)
                + report.lines().stream().mapToLong(LedgerReport.Line::arrived).sum();
    }

    private static boolean isShared(String document) {
        return SHARE.contains(PARTITIONS.partitionOf("orders", document));
    }

    private static Set<String> inTheLog(String address, int atLeast) throws InterruptedException {
        var ids = ConcurrentHashMap.<String>newKeySet();
        try (var audit = EventConsumer.options()
                .address(address)
                .start(ConsumerOptions.Start.OLDEST)
                .start(event -> ids.add(event.getId()))) {
            assertThat(reachedWhileGrowing(() -> ids.size() >= atLeast, ids::size, SOON))
                    .as("%d events of at least %d are read from the log", ids.size(), atLeast)
                    .isTrue();
            assertThat(audit.marker()).isNotEmpty();
        }
        return ids;
    }
}

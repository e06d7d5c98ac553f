package dev.sluice.server.puller;

import static dev.sluice.server.puller.PullerSetup.SOON;
import static dev.sluice.server.puller.PullerSetup.freePort;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.client.ConsumerOptions;
import dev.sluice.client.EventConsumer;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.devmongo.oplog.OplogLimit;
import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Puller of {@code -Xmx512m} under a steady load for minutes, with ten consumers of which one stands still: its live heap
 * does not grow and nothing is lost. Run by {@code mvn verify -Psoak -pl server -am}; how long and how fast by
 * {@code -Dsluice.soak.minutes} (10) and {@code -Dsluice.soak.rate} (20,000 events a second).
 */
@Tag("soak")
class PullerSoakTest {
    private static final int MINUTES = Integer.getInteger("sluice.soak.minutes", 10);
    private static final int RATE = Integer.getInteger("sluice.soak.rate", 20_000);
    private static final int CONSUMERS = 10;
    private static final Duration BETWEEN_SAMPLES = Duration.ofSeconds(10);
    private static final int SAMPLES_PER_MINUTE = 6;

    @TempDir
    Path folder;

    @Test
    void theHeapStaysFlatAndNothingIsLostForMinutesWithOneConsumerStandingStill() throws Exception {
        assertThat(MINUTES).as("the second minute and the last are compared").isGreaterThanOrEqualTo(3);
        int grpc = freePort();
        var config = folder.resolve("sluice.yaml");
        var release = new CountDownLatch(1);
        List<VersionCheck> checks = new ArrayList<>();
        List<EventConsumer> consumers = new ArrayList<>();
        // About twenty seconds of history: the server shares its heap with the consumers.
        try (var mongo = DevMongo.builder()
                .oplog(new OplogLimit(128L << 20, Integer.MAX_VALUE))
                .start()) {
            Files.writeString(
                    config,
                    new PullerSetup(folder.resolve("data"))
                            .backend("shop", mongo)
                            .backendOptions("start: earliest")
                            .ports(grpc, 0)
                            .yaml());
            try (var puller = ChildProcess.start(ProcessSpec.sluice("soaking", "run", "--config", config.toString())
                    .withJvmOptions("-Xmx512m"))) {
                puller.awaitLine("puller started", SOON);
                for (int n = 0; n < CONSUMERS; n++) {
                    var check = new VersionCheck(n == 0 ? release : new CountDownLatch(0));
                    checks.add(check);
                    consumers.add(EventConsumer.options()
                            .label("soak-" + n)
                            .address("127.0.0.1:" + grpc)
                            .start(ConsumerOptions.Start.OLDEST)
                            .startBatches(check::take));
                }
                try (var load = new SteadyLoad(mongo, RATE)) {
                    var heap = samples(puller, load, checks);
                    load.close();
                    System.out.println("soak: wrote %,d events, %,d a second; the lively are behind by %,d at most"
                            .formatted(load.written(), load.written() / (MINUTES * 60L), worst(checks, load)));
                    release.countDown();
                    long began = System.nanoTime();
                    awaitAll(checks, load.written());
                    System.out.println("soak: the stalled consumer caught up in "
                            + Duration.ofNanos(System.nanoTime() - began).toSeconds() + " s");
                    for (var check : checks) {
                        assertThat(check.findings()).as("lost or reordered").isZero();
                    }
                    long second = highest(heap.subList(SAMPLES_PER_MINUTE, 2 * SAMPLES_PER_MINUTE));
                    long last = highest(heap.subList(heap.size() - SAMPLES_PER_MINUTE, heap.size()));
                    System.out.println("soak: live heap in the second minute %,d B, in the last %,d B; all: %s"
                            .formatted(second, last, heap));
                    assertThat(last).as("live heap of the last minute").isLessThanOrEqualTo(second * 11 / 10);
                }
            } finally {
                release.countDown();
                consumers.forEach(EventConsumer::close);
            }
        }
    }

    private static List<Long> samples(ChildProcess puller, SteadyLoad load, List<VersionCheck> checks)
            throws Exception {
        List<Long> heap = new ArrayList<>();
        long next = System.nanoTime();
        for (int n = 0; n < MINUTES * SAMPLES_PER_MINUTE; n++) {
            next += BETWEEN_SAMPLES.toNanos();
            Thread.sleep(Math.max(0, (next - System.nanoTime()) / 1_000_000));
            heap.add(LiveHeap.of(puller.pid()));
            System.out.println("soak: %,d written, behind by %,d at most, live heap %,d B"
                    .formatted(load.written(), worst(checks, load), heap.getLast()));
        }
        return heap;
    }

    private static long worst(List<VersionCheck> checks, SteadyLoad load) {
        long written = load.written();
        return checks.stream()
                .skip(1)
                .mapToLong(check -> written - check.count())
                .max()
                .orElseThrow();
    }

    private static void awaitAll(List<VersionCheck> checks, long events) throws InterruptedException {
        long deadline = System.nanoTime() + Duration.ofMinutes(MINUTES).toNanos();
        while (checks.stream().anyMatch(check -> check.count() < events) && System.nanoTime() - deadline < 0) {
            Thread.sleep(100);
        }
        assertThat(checks).extracting(VersionCheck::count).containsOnly(events);
    }

    private static long highest(List<Long> samples) {
        return samples.stream().mapToLong(Long::longValue).max().orElseThrow();
    }
}

package dev.sluice.server.streamer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.devmongo.DevMongo;
import dev.sluice.testkit.ledger.Expectation;
import dev.sluice.testkit.ledger.Finding;
import dev.sluice.testkit.ledger.Ledger;
import dev.sluice.testkit.ledger.LedgerFile;
import dev.sluice.testkit.ledger.LedgerReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Everything real, and everything hurt: a writer, devmongo, a Puller, a Streamer and six gateways (HTTP, gRPC, NATS, Kafka),
 * each a process, killed and frozen at random; gateways that answer 500, 401, 429 and 413, reject single events, are slow or
 * say nothing; brokers that restart; cut connections. The long version: {@code -Dsluice.streamer.rounds=50}; a failed run
 * is repeated, as far as timing allows, with {@code -Dsluice.streamer.seed}.
 */
@Tag("crash")
@Order(2)
class StreamerChaosTest {
    private static final int ROUNDS = Integer.getInteger("sluice.streamer.rounds", 5);
    private static final long SEED = Long.getLong("sluice.streamer.seed", System.nanoTime());
    /** Longer than an open breaker and the longest back-off together. */
    private static final Duration STANDSTILL = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    @Test
    void nothingIsLostReorderedOrWronglyDeadLetteredWhateverIsKilled() throws Exception {
        System.out.println("StreamerChaosTest: seed " + SEED + ", rounds " + ROUNDS);
        try (DevMongo mongo = DevMongo.builder().start();
                StreamerWorld world = new StreamerWorld(folder, mongo, new Random(SEED));
                LedgerFile written = LedgerFile.append(world.ledger("writer"))) {
            world.subscribe();
            Set<String> poisoned;
            try (ChaosWriter writer = new ChaosWriter(mongo, written)) {
                for (int round = 0; round < ROUNDS; round++) {
                    world.hurtAndHeal();
                }
                poisoned = writer.poisoned();
            }
            List<String> owedDeadLetters = deadLetters(world, poisoned);
            LedgerReport report = settle(world, owedDeadLetters.size());
            System.out.println(world.done() + "\n" + report + "\ndead letters: " + owedDeadLetters.size() + " owed, "
                    + world.control().deadLetterCount() + " kept");
            if (!report.isClean()) {
                System.out.println(world.control().status());
            }
            report.assertClean();
            for (String gateway : world.gatewayIds()) {
                assertThat(world.complaints(gateway))
                        .as("repeats by a new owner that %s was not told of", gateway)
                        .doesNotExist();
            }
            assertThat(world.control().deadLetters()).isEqualTo(owedDeadLetters);
        }
    }

    /** Each subscription that asked for what its gateway never wants; Kafka takes everything. */
    private static List<String> deadLetters(StreamerWorld world, Set<String> poisoned) {
        List<String> owed = new ArrayList<>();
        for (String subscription : world.subscriptions()) {
            for (String each : poisoned) {
                boolean wanted =
                        subscription.endsWith("-all") || ChaosWriter.isEven(each.substring(0, each.indexOf('@')));
                if (wanted && !subscription.startsWith("kafka")) {
                    owed.add(subscription + ' ' + each);
                }
            }
        }
        Collections.sort(owed);
        return owed;
    }

    /** Waits as long as something still arrives. */
    private LedgerReport settle(StreamerWorld world, int owedDeadLetters) throws Exception {
        long highest = -1;
        long since = System.nanoTime();
        LedgerReport report = judge(world);
        while (!report.isClean() || world.control().deadLetterCount() < owedDeadLetters) {
            long now = report.count(Finding.DUPLICATE)
                    + report.lines().stream()
                            .mapToLong(LedgerReport.Line::arrived)
                            .sum();
            if (now > highest) {
                highest = now;
                since = System.nanoTime();
            } else if (System.nanoTime() - since > STANDSTILL.toNanos()) {
                break;
            }
            Thread.sleep(500);
            report = judge(world);
        }
        return report;
    }

    private static LedgerReport judge(StreamerWorld world) throws Exception {
        Ledger ledger = new Ledger();
        for (String subscription : world.subscriptions()) {
            Expectation all = Expectation.everyVersion();
            ledger.expect(subscription, subscription.endsWith("-even") ? all.of(ChaosWriter::isEven) : all);
        }
        LedgerFile.replay(world.ledger("writer"), ledger);
        for (String gateway : world.gatewayIds()) {
            if (Files.exists(world.ledger(gateway))) {
                LedgerFile.replay(world.ledger(gateway), ledger);
            }
        }
        TopicReader.read(world.kafkaServers(), StreamerWorld.TOPIC, "kafka-1-all", ledger);
        return ledger.report();
    }
}

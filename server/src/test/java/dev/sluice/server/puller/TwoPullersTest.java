package dev.sluice.server.puller;

import static dev.sluice.server.puller.PullerSetup.SOON;
import static dev.sluice.server.puller.PullerSetup.freePort;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.client.ConsumerListener;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.testkit.ledger.Expectation;
import dev.sluice.testkit.ledger.Finding;
import dev.sluice.testkit.ledger.Ledger;
import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two Pullers on one source, each with its own directory; consumers go from one to the other by their marker while either
 * is killed. More rounds by {@code -Dsluice.crash.rounds}; a failed run is repeated with {@code -Dsluice.crash.seed}.
 */
@Tag("crash")
class TwoPullersTest {
    private static final int ROUNDS = Integer.getInteger("sluice.crash.rounds", 4);
    private static final long SEED = Long.getLong("sluice.crash.seed", System.nanoTime());

    @TempDir
    Path folder;

    @Test
    void aConsumerGoesFromOneToTheOtherByItsMarkerAndMissesNothing() throws Exception {
        System.out.println("TwoPullersTest: seed " + SEED + ", rounds " + ROUNDS);
        var random = new SplittableRandom(SEED);
        var ledger = new Ledger()
                .expect("moving", Expectation.everyVersion())
                .expect("forgetful", Expectation.everyVersion());
        var visited = new Visited();
        int left = freePort();
        int right = freePort();
        try (var mongo = DevMongo.builder().start();
                var one = puller("left", mongo, left);
                var two = puller("right", mongo, right);
                var writer = new VersionWriter("shop", mongo, ledger);
                var moving = new LedgerConsumer(
                        "moving",
                        address(left),
                        ledger,
                        options -> options.address(address(right)).listener(visited),
                        0);
                var forgetful = new LedgerConsumer(
                        "forgetful", address(right), ledger, options -> options.address(address(left)), 0)) {
            // The marker of a Puller that has captured nothing yet is refused by every other one: see EventLogContract.
            PullerSetup.await(
                    "both consumers have events",
                    () -> !moving.seen().isEmpty() && !forgetful.seen().isEmpty());
            for (var round = 0; round < ROUNDS; round++) {
                var victim = round % 2 == 0 ? one : two;
                one.awaitLine("puller started", SOON);
                two.awaitLine("puller started", SOON);
                Thread.sleep(random.nextInt(50, 1500));
                victim.kill9();
                Thread.sleep(random.nextInt(0, 800));
                victim.restart();
                forgetful.crash();
            }
            writer.close();
            PullerCrashTest.settle(ledger);

            var report = ledger.report();
            System.out.println(report + "\nkilled " + ROUNDS + " times, served by " + visited.addresses);
            report.assertClean();
            assertThat(visited.addresses).contains(address(left), address(right));
            assertThat(report.of("moving").count(Finding.DUPLICATE))
                    .as("it goes on behind the last event it handled, at the other Puller too")
                    .isZero();
            assertThat(report.of("forgetful").count(Finding.DUPLICATE))
                    .as("what it had handled behind its saved marker when it crashed")
                    .isLessThanOrEqualTo(forgetful.handledBehindSavedMarker());
            assertThat(moving.seen()).as("the same events have the same ids").containsAll(forgetful.seen());
        }
    }

    private static final class Visited implements ConsumerListener {
        private final Set<String> addresses = ConcurrentHashMap.newKeySet();

        @Override
        public void connected(String address) {
            addresses.add(address);
        }
    }

    private static String address(int port) {
        return "127.0.0.1:" + port;
    }

    private ChildProcess puller(String name, DevMongo mongo, int port) throws IOException {
        var config = folder.resolve(name + ".yaml");
        Files.writeString(
                config,
                new PullerSetup(folder.resolve(name))
                        .backend("shop", mongo)
                        .backendOptions("start: earliest")
                        .ports(port, 0)
                        .yaml());
        return ChildProcess.start(ProcessSpec.sluice(name, "run", "--config", config.toString())
                .withJvmOptions("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
    }
}

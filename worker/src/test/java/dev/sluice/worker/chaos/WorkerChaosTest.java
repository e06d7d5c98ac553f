package dev.sluice.worker.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.worker.chaos.ChaosRun.Combination;
import dev.sluice.worker.chaos.WorkerChaos.Harm;
import io.nats.client.api.RetentionPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Real workers, each a process, on a real server: they join and leave, are killed and frozen for longer than their lease,
 * lose deliveries in the client and are cut off, and the server restarts in the middle of a rebalance. Handlers write to a
 * ledger outside of them. Three of the twelve combinations of streams, modes and servers run each time, all kinds of streams
 * among them; {@code WorkerChaosSoakTest} is the long version. A failed run is repeated, as far as timing allows, with
 * {@code -Dsluice.worker.seed}.
 */
@Tag("crash")
@Order(1)
class WorkerChaosTest {
    private static final long SEED = Long.getLong("sluice.worker.seed", System.nanoTime());
    private static final Duration LEASE = Duration.ofSeconds(2);

    @TempDir
    Path folder;

    static Stream<Arguments> threeOfTwelve() {
        Random random = new Random(SEED);
        List<RetentionPolicy> kinds =
                new ArrayList<>(List.of(RetentionPolicy.Limits, RetentionPolicy.WorkQueue, RetentionPolicy.Interest));
        List<String> modes = new ArrayList<>(List.of("PER_WORKER", "PER_WORKER", "PER_PARTITION"));
        List<NatsLine> lines = new ArrayList<>(
                List.of(NatsLine.V2_10, NatsLine.NEWEST, random.nextBoolean() ? NatsLine.V2_10 : NatsLine.NEWEST));
        List<Harm> harms = new ArrayList<>(List.of(Harm.FREEZE, Harm.SERVER_RESTART, Harm.CUT));
        List.of(kinds, modes, lines, harms).forEach(each -> Collections.shuffle(each, random));
        return Stream.of(0, 1, 2)
                .map(k -> Arguments.of(
                        new Combination(kinds.get(k), modes.get(k), lines.get(k)),
                        List.of(Harm.MOVE, Harm.KILL, harms.get(k))));
    }

    @ParameterizedTest
    @MethodSource("threeOfTwelve")
    void nothingIsLostInAnyHandoff(Combination combination, List<Harm> harms) throws Exception {
        System.out.printf("WorkerChaosTest: seed %d, %s%n", SEED, combination);
        try (ChaosServer server = ChaosServer.single(combination.line(), combination.retention());
                ChaosRun run = new ChaosRun(WorkerProgram.SLUICE, combination, server, LEASE, folder, SEED)) {
            run.begin();
            run.chaos().run(harms);
            Verdict verdict = run.end();
            verdict.assertClean();
            assertThat(verdict.takeovers()).isPositive();
            run.awaitFewConsumers();
        }
    }
}

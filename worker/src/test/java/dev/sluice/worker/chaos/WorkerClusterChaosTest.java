package dev.sluice.worker.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.worker.chaos.ChaosRun.Combination;
import dev.sluice.worker.chaos.WorkerChaos.Harm;
import io.nats.client.api.RetentionPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The chaos suite on three servers and a stream with three replicas: the server that leads the stream is killed in the middle
 * of a rebalance, twice, with a crash of a worker in between.
 */
@Tag("soak")
class WorkerClusterChaosTest {
    private static final long SEED = Long.getLong("sluice.worker.seed", System.nanoTime());
    private static final Duration LEASE = Duration.ofSeconds(3);

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(RetentionPolicy.class)
    void nothingIsLostWhenTheLeaderOfTheStreamIsKilled(RetentionPolicy retention) throws Exception {
        var combination = new Combination(retention, "PER_WORKER", NatsLine.NEWEST);
        System.out.printf("WorkerClusterChaosTest: seed %d, %s%n", SEED, combination);
        try (ChaosServer server = ChaosServer.cluster(combination.line());
                ChaosRun run = new ChaosRun(WorkerProgram.SLUICE, combination, server, LEASE, folder, SEED)) {
            run.begin();
            run.chaos()
                    .run(List.of(
                            Harm.SERVER_RESTART, Harm.KILL, Harm.MOVE, Harm.SERVER_RESTART, Harm.FREEZE, Harm.MOVE));
            Verdict verdict = run.end();
            verdict.assertClean();
            assertThat(verdict.takeovers()).isPositive();
            run.awaitFewConsumers();
        }
    }
}

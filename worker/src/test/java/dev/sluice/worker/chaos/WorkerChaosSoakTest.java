package dev.sluice.worker.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.worker.chaos.ChaosRun.Combination;
import dev.sluice.worker.chaos.WorkerChaos.Harm;
import io.nats.client.api.RetentionPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The long version of {@link WorkerChaosTest}, with harms that overlap: 30 minutes for limits streams with a consumer per
 * worker on the newest server, 5 minutes for each other combination, those with workers of both modes included. Other times by {@code -Dsluice.worker.chaos.long} and
 * {@code -Dsluice.worker.chaos.each}, such as {@code PT2M}; some combinations by a regular expression in
 * {@code -Dsluice.worker.chaos.only}, such as {@code workqueue-.*}.
 */
@Tag("soak")
class WorkerChaosSoakTest {
    private static final long SEED = Long.getLong("sluice.worker.seed", System.nanoTime());
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration LONG = Duration.parse(System.getProperty("sluice.worker.chaos.long", "PT30M"));
    private static final Duration EACH = Duration.parse(System.getProperty("sluice.worker.chaos.each", "PT5M"));
    private static final String ONLY = System.getProperty("sluice.worker.chaos.only", ".*");
    private static final Combination MAIN = new Combination(RetentionPolicy.Limits, "PER_WORKER", NatsLine.NEWEST);

    @TempDir
    Path folder;

    static Stream<Combination> all() {
        List<Combination> all = new ArrayList<>(List.of(MAIN));
        for (RetentionPolicy retention : RetentionPolicy.values()) {
            for (String mode : List.of("PER_WORKER", "PER_PARTITION")) {
                for (NatsLine line : List.of(NatsLine.V2_10, NatsLine.NEWEST)) {
                    all.add(new Combination(retention, mode, line));
                }
            }
            all.add(new Combination(retention, ChaosWorker.MIXED, NatsLine.NEWEST));
        }
        return all.stream().distinct().filter(each -> each.toString().matches(ONLY));
    }

    @ParameterizedTest
    @MethodSource("all")
    void nothingIsLostInAnyHandoff(Combination combination) throws Exception {
        Duration time = combination.equals(MAIN) ? LONG : EACH;
        System.out.printf("WorkerChaosSoakTest: seed %d, %s, %s%n", SEED, combination, time);
        // 20 moves and 8 crashes in half an hour, fewer in less
        int moves = (int) Math.max(1, time.toSeconds() / 90);
        int crashes = (int) Math.max(1, time.toSeconds() / 225);
        try (ChaosServer server = ChaosServer.single(combination.line(), combination.retention());
                ChaosRun run = new ChaosRun(WorkerProgram.SLUICE, combination, server, LEASE, folder, SEED)) {
            run.begin();
            run.chaos().run(time, moves, crashes);
            Verdict verdict = run.end();
            verdict.assertClean();
            assertThat(run.chaos().count(Harm.MOVE)).isGreaterThanOrEqualTo(moves);
            assertThat(run.chaos().count(Harm.KILL)).isGreaterThanOrEqualTo(crashes);
            run.awaitFewConsumers();
        }
    }
}

package dev.sluice.worker.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.worker.chaos.WorkerChaos.Harm;
import io.nats.client.api.RetentionPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The test of the test: the handoff of draft 002 §5.3 loses messages in two planned moves and a crash, and the suite sees it. */
@Tag("crash")
@Order(1)
class DraftHandoffTest {
    private static final long SEED = Long.getLong("sluice.worker.seed", System.nanoTime());
    private static final Duration LEASE = Duration.ofSeconds(2);

    @TempDir
    Path folder;

    @Test
    void theHandoffOfTheDraftLosesMessages() throws Exception {
        System.out.println("DraftHandoffTest: seed " + SEED);
        var combination = new ChaosRun.Combination(RetentionPolicy.Limits, "PER_WORKER", NatsLine.NEWEST);
        try (ChaosServer server = ChaosServer.single(NatsLine.NEWEST, RetentionPolicy.Limits);
                ChaosRun run = new ChaosRun(WorkerProgram.DRAFT, combination, server, LEASE, folder, SEED)) {
            run.begin();
            run.chaos().run(List.of(Harm.MOVE, Harm.MOVE, Harm.KILL));
            Verdict verdict = run.end();
            assertThat(verdict.isClean()).as("%s", verdict).isFalse();
            assertThat(verdict.skipped() + verdict.reordered())
                    .as("%s", verdict)
                    .isPositive();
        }
    }
}

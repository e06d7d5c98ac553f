package dev.sluice.worker.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.worker.chaos.WorkerChaos.Harm;
import io.nats.client.api.RetentionPolicy;
import java.nio.file.Files;
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
    private static final int RUNS = 5;

    @TempDir
    Path folder;

    /** Each run loses by chance: a move with nothing under way is clean. */
    @Test
    void theHandoffOfTheDraftLosesMessages() throws Exception {
        System.out.println("DraftHandoffTest: seed " + SEED);
        Verdict verdict = run(0);
        for (int more = 1; more < RUNS && verdict.isClean(); more++) {
            verdict = run(more);
        }
        assertThat(verdict.isClean()).as("%s", verdict).isFalse();
        assertThat(verdict.skipped() + verdict.reordered()).as("%s", verdict).isPositive();
    }

    private Verdict run(int number) throws Exception {
        var combination = new ChaosRun.Combination(RetentionPolicy.Limits, "PER_WORKER", NatsLine.NEWEST);
        Path own = Files.createDirectory(folder.resolve("run-" + number));
        try (ChaosServer server = ChaosServer.single(NatsLine.NEWEST, RetentionPolicy.Limits);
                ChaosRun run = new ChaosRun(WorkerProgram.DRAFT, combination, server, LEASE, own, SEED + number)) {
            run.begin();
            run.chaos().run(List.of(Harm.MOVE, Harm.MOVE, Harm.KILL));
            return run.end();
        }
    }
}

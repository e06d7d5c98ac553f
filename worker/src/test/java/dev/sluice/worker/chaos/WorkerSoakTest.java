package dev.sluice.worker.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.servers.NatsLine;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Workers under a steady load while another one comes and goes: heap, threads and consumers are in the end what they were
 * after the warm-up, and nothing is lost. How long by {@code -Dsoak.duration}, such as {@code PT90S}; by default an hour.
 */
@Tag("soak")
@Isolated
class WorkerSoakTest {
    private static final Duration TIME = Duration.parse(System.getProperty("soak.duration", "PT1H"));
    private static final Duration LONGEST_WARM_UP = Duration.ofMinutes(2);
    private static final int WORKERS = 3;

    /** How many messages are handled between two moves. */
    private static final int BETWEEN_MOVES = 500;

    /** Threads that a JVM may start late, such as carriers of virtual threads. */
    private static final int LATE_THREADS = 4;

    @TempDir
    Path folder;

    @Test
    void heapThreadsAndConsumersStayFlat() throws Exception {
        Duration warmUp = TIME.dividedBy(3).compareTo(LONGEST_WARM_UP) < 0 ? TIME.dividedBy(3) : LONGEST_WARM_UP;
        long begin = System.nanoTime();
        try (SoakStage stage = new SoakStage(NatsLine.NEWEST)) {
            for (int k = 0; k < WORKERS; k++) {
                stage.start();
            }
            int warmMoves = moveUntil(stage, begin + warmUp.toNanos());
            LiveResources warm = LiveResources.now(folder);
            print("after %s and %d moves: %s", warmUp, warmMoves, warm);
            int moves = moveUntil(stage, begin + TIME.toNanos());
            LiveResources last = LiveResources.now(folder);
            print(
                    "after %s and %d more moves: %s; handled %,d, repeated %,d",
                    TIME, moves, last, stage.handled(), stage.repeated());
            assertThat(stage.faults()).isEmpty();
            assertThat(moves).as("moves").isGreaterThan(LATE_THREADS);
            assertThat(last.heapBytes()).as("live heap").isLessThanOrEqualTo(warm.heapBytes() * 11 / 10);
            assertThat(last.threads()).as("platform threads").isLessThanOrEqualTo(warm.threads() + LATE_THREADS);
            assertThat(last.virtualThreads())
                    .as("virtual threads")
                    .isLessThanOrEqualTo(warm.virtualThreads() + LATE_THREADS);
        }
    }

    /** A worker comes, takes its share and leaves, over and over; in the end the others have as many consumers as they are. */
    private static int moveUntil(SoakStage stage, long end) throws Exception {
        int moves = 0;
        while (System.nanoTime() - end < 0) {
            try (SoakStage.Running guest = stage.start()) {
                await().atMost(LocalWorkers.SOON).until(() -> guest.owned() > 0);
                stage.awaitHandled(BETWEEN_MOVES);
            }
            stage.awaitHandled(BETWEEN_MOVES);
            moves += 2;
        }
        stage.awaitSettled(WORKERS);
        return moves;
    }

    @SuppressWarnings("SystemOut")
    private static void print(String format, Object... args) {
        System.out.printf("soak: " + format + "%n", args);
    }
}

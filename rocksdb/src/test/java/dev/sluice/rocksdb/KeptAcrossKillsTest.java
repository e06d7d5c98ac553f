package dev.sluice.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.lane.DeadLetter;
import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real process killed at random instants: what it acknowledged is there, once and in order, and nothing half. */
class KeptAcrossKillsTest {
    private static final int ROUNDS = 3;

    @TempDir
    Path path;

    @Test
    void whatWasAcknowledgedSurvivesKillMinusNine() throws IOException {
        Random random = new Random();
        int acknowledged = 0;
        for (int round = 1; round <= ROUNDS; round++) {
            ProcessSpec spec = ProcessSpec.java(
                            "keeping-" + round,
                            KeepingChild.class.getName(),
                            path.toString(),
                            String.valueOf(acknowledged))
                    .withJvmOptions("-Xmx128m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED")
                    .withEnvironment("ROCKSDB_SHAREDLIB_DIR", path.toString());
            try (ChildProcess child = ChildProcess.start(spec)) {
                int lines = 5 + random.nextInt(100);
                child.awaitLine("kept " + (acknowledged + 30 * lines), Duration.ofSeconds(60));
                child.kill9();
                acknowledged = lastAcknowledged(child);
            }
            check(acknowledged);
        }
    }

    private static int lastAcknowledged(ChildProcess child) throws IOException {
        return Files.readAllLines(child.log()).stream()
                .filter(line -> line.matches("kept \\d+"))
                .mapToInt(line -> Integer.parseInt(line.substring(5)))
                .max()
                .orElseThrow();
    }

    /** The batch that was under way is there, half done by whole steps, or not at all. */
    private void check(int acknowledged) {
        try (RocksSubscriptions store = new RocksSubscriptions(path.resolve("subscriptions"));
                RocksDeadLetters letters = new RocksDeadLetters(path.resolve("letters"))) {
            List<String> kept = new ArrayList<>();
            long highest = store.load(each -> kept.add(each.id())).revision();
            // A batch under way has at most the revisions of its records and of its removals.
            assertThat(highest).isIn(2L * acknowledged, 2L * acknowledged + 59, 2L * acknowledged + 60);
            assertThat(kept.stream().filter(id -> id.compareTo(KeepingChild.id(acknowledged)) < 0))
                    .containsExactlyElementsOf(IntStream.range(0, acknowledged)
                            .filter(k -> k % 3 != 1)
                            .mapToObj(KeepingChild::id)
                            .toList());
            long underWay = kept.size() - acknowledged / 3 * 2L;
            assertThat(underWay).isIn(0L, 20L, 30L);
            List<String> ids = allIds(letters);
            assertThat(ids.size() - acknowledged).isIn(0, 30);
            assertThat(ids)
                    .isEqualTo(IntStream.range(0, ids.size())
                            .mapToObj(KeepingChild::id)
                            .toList());
            assertThat(letters.count()).isEqualTo(ids.size());
            assertThat(letters.deleteBefore(Instant.EPOCH)).isZero();
        }
    }

    private static List<String> allIds(RocksDeadLetters letters) {
        List<String> ids = new ArrayList<>();
        List<DeadLetter> page = letters.list("", 1000);
        while (!page.isEmpty()) {
            page.forEach(letter -> ids.add(letter.id()));
            page = letters.list(ids.getLast(), 1000);
        }
        return ids;
    }
}

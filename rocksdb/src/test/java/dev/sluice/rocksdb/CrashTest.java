package dev.sluice.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.LogEntry;
import dev.sluice.log.LogPosition;
import dev.sluice.log.LogRead;
import dev.sluice.log.LogState;
import dev.sluice.log.Segment;
import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real process under load, killed at random instants: what it acknowledged is there, and nothing is half there. */
class CrashTest {
    private static final int ROUNDS = 5;

    @TempDir
    Path path;

    /** Rows 3 and 18. */
    @Test
    void whatWasAcknowledgedSurvivesKillMinusNineAndTheCheckpointIsNeverAhead() throws IOException {
        Random random = new Random();
        ProcessSpec spec = ProcessSpec.java("appending", AppendingChild.class.getName(), path.toString())
                .withJvmOptions("-Xmx128m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED")
                .withEnvironment("ROCKSDB_SHAREDLIB_DIR", path.toString());
        try (ChildProcess child = ChildProcess.start(spec)) {
            for (int round = 1; round <= ROUNDS; round++) {
                long target = lastAcknowledged(child) + 100 + random.nextInt(3000);
                child.awaitLine("stored " + atLeast(target), Duration.ofSeconds(60));
                child.kill9();
                check(lastAcknowledged(child));
                if (round < ROUNDS) {
                    child.restart();
                }
            }
        }
    }

    /** Any number with more digits, or the same number of digits and a bigger first one; close enough. */
    private static String atLeast(long target) {
        int digits = Long.toString(target).length();
        int first = (int) (target / (long) Math.pow(10, digits - 1));
        return "(\\d{" + (digits + 1) + ",}|[" + first + "-9]\\d{" + (digits - 1) + "})$";
    }

    private static long lastAcknowledged(ChildProcess child) throws IOException {
        return Files.readAllLines(child.log()).stream()
                .filter(line -> line.matches("stored \\d+"))
                .mapToLong(line -> Long.parseLong(line.substring(7)))
                .max()
                .orElse(0);
    }

    private void check(long acknowledged) {
        try (RocksEventLog log = new RocksEventLog(path, "main", RocksSettings.DEFAULT)) {
            LogState state = log.state();
            long head = state.head().id().hash();
            assertThat(head).isGreaterThanOrEqualTo(acknowledged);
            Checkpoint checkpoint = state.checkpoint();
            assertThat(checkpoint).isNotNull();
            assertThat(checkpoint.time().i())
                    .as("the number of the event it stands behind")
                    .isLessThanOrEqualTo(head);
            assertThat(log.segments().stream().mapToLong(Segment::events).sum()).isEqualTo(readThrough(log));
        }
    }

    /** Reads all there is and returns how many; each must follow the one before. */
    private static long readThrough(RocksEventLog log) {
        LogPosition at = log.state().evictedThrough().position();
        long expected = log.state().evictedThrough().id().hash() + 1;
        long count = 0;
        while (true) {
            LogRead.Entries read = (LogRead.Entries) log.read(at, 1000, Long.MAX_VALUE);
            if (read.entries().isEmpty()) {
                assertThat(expected - 1).isEqualTo(log.state().head().id().hash());
                return count;
            }
            for (LogEntry entry : read.entries()) {
                assertThat(entry.event().hash()).isEqualTo(expected++);
                count++;
            }
            at = read.reached();
        }
    }
}

package dev.sluice.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Row 8, on a real disk that is really full: a tmpfs of its own size in a mount namespace of the child, which goes when
 * the child goes. Needs {@code unshare} and the right to use it (root, or unprivileged user namespaces).
 */
@Order(1)
class FullDiskTest {
    @TempDir
    Path path;

    /** Without a floor RocksDB meets the end of the disk: in a write, or, more likely with big events, in a flush. */
    @ParameterizedTest
    @CsvSource({"0, 4000", "0, 60000", "8388608, 4000"})
    void appendingStopsWhenTheDiskIsFullAndGoesOnByItselfAndNothingIsLost(long floor, int eventBytes) throws Exception {
        ProcessSpec java = ProcessSpec.java(
                        "full-disk-" + floor + "-" + eventBytes,
                        FullDiskChild.class.getName(),
                        path.toString(),
                        Long.toString(floor),
                        "2",
                        Integer.toString(eventBytes))
                .withJvmOptions("-Xmx256m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED");
        // Each round stores about 85 MB: 12 MB, and the 70 MB that RocksDB had allocated ahead for its write-ahead log.
        // In the end
        // the disk holds all of it, and as much again while a compaction copies it.
        List<String> command = new ArrayList<>(
                List.of("unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=512m tmpfs \"$0\" && exec \"$@\""));
        command.add(path.toString());
        command.addAll(java.command());
        ProcessSpec spec = new ProcessSpec(java.name(), command, java.environment(), java.directory());
        try (ChildProcess child = ChildProcess.start(spec)) {
            child.awaitLine("full after \\d+, all readable", Duration.ofSeconds(60));
            MatchResult end = child.awaitLine("written (\\d+) found (\\d+) checkpoint (\\d+)", Duration.ofSeconds(60));
            assertThat(end.group(2)).isEqualTo(end.group(1));
            assertThat(end.group(3)).isEqualTo(end.group(1));
            child.awaitLine("nothing lost", Duration.ofSeconds(10));
        }
    }
}

package dev.sluice.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Row 8, on a real disk that is really full: a tmpfs of its own size in a mount namespace of the child, which goes when
 * the child goes. Needs {@code unshare} and the right to use it (root, or unprivileged user namespaces).
 */
class FullDiskTest {
    @TempDir
    Path path;

    /**
     * With a floor RocksDB never meets the end of the disk. Without one (0) it may hold a write inside native code when a
     * flush finds no room, and then nobody says that capture waits: not proven until that is mended, hence not in the list.
     */
    @ParameterizedTest
    @ValueSource(longs = {8 << 20})
    void appendingStopsWhenTheDiskIsFullAndGoesOnByItselfAndNothingIsLost(long floor) throws Exception {
        ProcessSpec java = ProcessSpec.java(
                        "full-disk-" + floor, FullDiskChild.class.getName(), path.toString(), Long.toString(floor))
                .withJvmOptions("-Xmx256m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED");
        List<String> command = new ArrayList<>(
                List.of("unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=48m tmpfs \"$0\" && exec \"$@\""));
        command.add(path.toString());
        command.addAll(java.command());
        ProcessSpec spec = new ProcessSpec(java.name(), command, java.environment(), java.directory());
        try (ChildProcess child = ChildProcess.start(spec)) {
            MatchResult full = child.awaitLine("full after (\\d+), readable (\\d+)", Duration.ofSeconds(60));
            assertThat(full.group(2)).isEqualTo(full.group(1));
            child.awaitLine("went on by itself", Duration.ofSeconds(60));
            MatchResult end = child.awaitLine("written (\\d+) found (\\d+) checkpoint (\\d+)", Duration.ofSeconds(60));
            assertThat(end.group(2)).isEqualTo(end.group(1));
            assertThat(end.group(3)).isEqualTo(end.group(1));
            child.awaitLine("nothing lost", Duration.ofSeconds(10));
        }
    }
}

package dev.sluice.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a real disk that is really full, as {@link FullDiskTest}. */
class FullDiskOfSubscriptionsTest {
    @TempDir
    Path path;

    @Test
    void whatDoesNotFitIsRefusedWhatIsThereStaysReadableAndWithRoomItGoesOn() throws Exception {
        ProcessSpec java = ProcessSpec.java(
                        "full-disk-subscriptions", FullDiskOfSubscriptionsChild.class.getName(), path.toString())
                .withJvmOptions("-Xmx256m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED");
        List<String> command = new ArrayList<>(
                List.of("unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=64m tmpfs \"$0\" && exec \"$@\""));
        command.add(path.toString());
        command.addAll(java.command());
        ProcessSpec spec = new ProcessSpec(java.name(), command, java.environment(), java.directory());
        try (ChildProcess child = ChildProcess.start(spec)) {
            MatchResult full = child.awaitLine("full after (\\d+), (\\d+) readable", Duration.ofSeconds(60));
            assertThat(Integer.parseInt(full.group(2)))
                    .isGreaterThanOrEqualTo(Integer.parseInt(full.group(1)))
                    .isGreaterThan(0);
            MatchResult end = child.awaitLine("acknowledged (\\d+) found (\\d+)", Duration.ofSeconds(60));
            assertThat(end.group(2)).isEqualTo(end.group(1));
        }
    }
}

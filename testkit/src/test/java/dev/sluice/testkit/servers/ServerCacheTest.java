package dev.sluice.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerCacheTest {

    @TempDir
    Path folder;

    ServerCache cache;

    @BeforeEach
    void inANewFolder() {
        cache = new ServerCache(folder.resolve("cache"));
    }

    @Test
    void whoeverAsksFirstUnpacksAndTheOthersWait() throws Exception {
        var unpacked = new AtomicInteger();
        Callable<String> ask = () -> Files.readString(cache.entry("thing", into -> {
                    unpacked.incrementAndGet();
                    Files.writeString(into.resolve("file"), "complete");
                })
                .resolve("file"));
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers =
                    threads.invokeAll(IntStream.range(0, 8).mapToObj(i -> ask).toList());
            for (var answer : answers) {
                assertThat(answer.get()).isEqualTo("complete");
            }
        }
        assertThat(unpacked).hasValue(1);
    }

    @Test
    void anEntryThatHasGrownOldIsMadeAnewOrServesOnIfThatFails() throws Exception {
        var month = Duration.ofDays(30);
        assertThat(contentOf(cache.entry("thing", month, into -> write(into, "first"))))
                .isEqualTo("first");
        assertThat(contentOf(cache.entry("thing", month, into -> write(into, "too soon"))))
                .isEqualTo("first");
        age("thing");
        assertThat(contentOf(cache.entry("thing", into -> write(into, "wanted forever"))))
                .isEqualTo("first");
        assertThat(contentOf(cache.entry("thing", month, into -> {
                    throw new IOException("no network");
                })))
                .isEqualTo("first");
        assertThat(contentOf(cache.entry("thing", month, into -> write(into, "too soon"))))
                .isEqualTo("first");
        age("thing");
        assertThat(contentOf(cache.entry("thing", month, into -> write(into, "second"))))
                .isEqualTo("second");
    }

    private void age(String name) throws IOException {
        var old = Instant.now().minus(Duration.ofDays(31));
        Files.setLastModifiedTime(cache.root().resolve(name), FileTime.from(old));
    }

    /** Like an archive that sets the times of what it unpacks. */
    private static void write(Path folder, String content) throws IOException {
        Files.writeString(folder.resolve("file"), content);
        Files.setLastModifiedTime(folder, FileTime.from(Instant.EPOCH));
    }

    private static String contentOf(Path entry) throws IOException {
        return Files.readString(entry.resolve("file"));
    }

    @Test
    void aFailedUnpackingLeavesNothingAndIsTriedAgain() throws Exception {
        assertThatThrownBy(() -> cache.entry("thing", into -> {
                    Files.writeString(into.resolve("half"), "…");
                    throw new IOException("disk full");
                }))
                .hasMessage("disk full");
        assertThat(cache.root()).isDirectoryNotContaining("glob:**partial*");
        assertThat(cache.entry("thing", into -> Files.writeString(into.resolve("whole"), "ok")))
                .isDirectoryContaining("glob:**/whole")
                .isDirectoryNotContaining("glob:**/half");
    }
}

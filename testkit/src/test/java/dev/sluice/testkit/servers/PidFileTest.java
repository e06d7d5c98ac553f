package dev.sluice.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PidFileTest {

    @TempDir
    Path folder;

    @Test
    void aRunningProcessIsFoundAgain() {
        var file = new PidFile(folder.resolve("pid"));
        file.write(ProcessHandle.current().pid(), 4222);
        assertThat(file.read()).contains(new PidFile.Started(ProcessHandle.current(), 4222));
    }

    @Test
    void anotherProcessWithTheSameIdIsNotOurs() throws Exception {
        var path = folder.resolve("pid");
        new PidFile(path).write(ProcessHandle.current().pid(), 4222);
        var text = Files.readString(path).strip().split(" ", 3);
        Files.writeString(path, text[0] + " 4222 2001-01-01T00:00:00Z");
        assertThat(new PidFile(path).read()).isEmpty();
    }

    @Test
    void withoutAFileNothingRuns() {
        assertThat(new PidFile(folder.resolve("pid")).read()).isEmpty();
    }
}

package dev.sluice.testkit.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where one server lives: the folder of its data, its log, its port, and whether it ends with this JVM (in tests) or goes on
 * (started by hand for development).
 */
record ServerPlace(Path folder, Path log, int port, boolean endsWithJvm) {

    /** A new temporary folder and a free port. */
    static ServerPlace temporary(String name) {
        var run = TestRun.current();
        try {
            var folder = Files.createTempDirectory(run.folder(), name + "-");
            return new ServerPlace(folder, run.logs().resolve(folder.getFileName() + ".log"), FreePorts.take(), true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A folder that stays, for a server that goes on when this JVM ends. */
    static ServerPlace lasting(Path folder, int port) {
        return new ServerPlace(folder, folder.resolve("server.log"), port, false);
    }

    /** Where to look for the log when a test has failed and this JVM has ended. */
    Path keptLog() {
        return endsWithJvm ? KeepLogsOfFailedRuns.DESTINATION.resolve(log.getFileName()) : log;
    }

    Path data() {
        return folder.resolve("data");
    }
}

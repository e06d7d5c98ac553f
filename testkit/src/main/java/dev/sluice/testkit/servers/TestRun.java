package dev.sluice.testkit.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What the servers of this JVM have in common: one temporary folder with their data and logs, and their end. When the JVM
 * ends they are killed (their data is of no further use) and the folder is deleted.
 */
final class TestRun {

    private static @Nullable TestRun current;

    private final Path folder;
    private final Set<AutoCloseable> open = ConcurrentHashMap.newKeySet();

    TestRun() {
        try {
            folder = Files.createTempDirectory("sluice-servers-");
            Files.createDirectory(logs());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static synchronized TestRun current() {
        if (current == null) {
            current = new TestRun();
            Runtime.getRuntime().addShutdownHook(new Thread(current::end, "end-test-servers"));
        }
        return current;
    }

    /** Whether this JVM started any server. */
    static synchronized boolean hasServers() {
        return current != null;
    }

    Path folder() {
        return folder;
    }

    Path logs() {
        return folder.resolve("logs");
    }

    void opened(AutoCloseable server) {
        open.add(server);
    }

    void closed(AutoCloseable server) {
        open.remove(server);
    }

    /** Copies the logs of all servers of this run, also of closed ones, to a folder that stays. */
    void keepLogs(Path destination) throws IOException {
        Files.createDirectories(destination);
        try (var files = Files.newDirectoryStream(logs())) {
            for (var log : files) {
                Files.copy(log, destination.resolve(log.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    void end() {
        open.forEach(TestRun::close);
        try {
            Folders.delete(folder);
        } catch (IOException e) {
            System.err.println("left behind: " + folder);
        }
    }

    /** One that cannot be closed must not keep the others. */
    private static void close(AutoCloseable server) {
        try {
            server.close();
        } catch (Exception e) {
            System.err.println("a server could not be closed: " + e);
        }
    }
}

package dev.sluice.testkit.servers;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;

/**
 * Unpacked server programs and the data of new servers, kept between runs in the user's cache folder: {@code
 * $SLUICE_SERVERS_CACHE} (or the system property {@code sluice.servers.cache}), else {@code sluice/servers} in {@code
 * $XDG_CACHE_HOME} or {@code ~/.cache}. Delete it to fetch and make everything again.
 *
 * <p>An entry is complete or absent: it is made in a folder beside it, under a lock that other builds on the machine
 * respect, and renamed.
 */
record ServerCache(Path root) {

    static final Duration FOREVER = Duration.ofDays(100 * 365);

    /** Makes one entry in an empty folder. */
    @FunctionalInterface
    interface Unpacking {
        void into(Path folder) throws IOException;
    }

    static ServerCache ofUser() {
        var chosen = System.getProperty("sluice.servers.cache", System.getenv("SLUICE_SERVERS_CACHE"));
        if (chosen != null) {
            return new ServerCache(Path.of(chosen));
        }
        var xdg = System.getenv("XDG_CACHE_HOME");
        var caches = xdg != null && !xdg.isBlank() ? Path.of(xdg) : Path.of(System.getProperty("user.home"), ".cache");
        return new ServerCache(caches.resolve("sluice").resolve("servers"));
    }

    /** The folder of that entry, made now if it is not there yet. */
    Path entry(String name, Unpacking unpacking) throws IOException {
        return entry(name, FOREVER, unpacking);
    }

    /** The same, made anew when it is older than that; if that fails, the old one serves for as long again. */
    Path entry(String name, Duration freshFor, Unpacking unpacking) throws IOException {
        var entry = root.resolve(name);
        if (isFresh(entry, freshFor)) {
            return entry;
        }
        Files.createDirectories(root);
        // A FileLock excludes other JVMs, the monitor this JVM's other threads.
        synchronized (ServerCache.class) {
            try (var channel = FileChannel.open(
                            root.resolve(name + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    var lock = channel.lock()) {
                if (!lock.isValid() || !isFresh(entry, freshFor)) {
                    makeOrKeep(entry, unpacking);
                }
            }
        }
        return entry;
    }

    private static boolean isFresh(Path entry, Duration freshFor) throws IOException {
        return Files.isDirectory(entry)
                && Files.getLastModifiedTime(entry)
                        .toInstant()
                        .isAfter(Instant.now().minus(freshFor));
    }

    private void makeOrKeep(Path entry, Unpacking unpacking) throws IOException {
        try {
            make(entry, unpacking);
        } catch (IOException e) {
            if (!Files.isDirectory(entry)) {
                throw e;
            }
            markFresh(entry);
        }
    }

    /** An archive may have set the folder's time to its own. */
    private static void markFresh(Path folder) throws IOException {
        Files.setLastModifiedTime(folder, FileTime.from(Instant.now()));
    }

    private void make(Path entry, Unpacking unpacking) throws IOException {
        var partial = Files.createTempDirectory(root, entry.getFileName() + ".partial-");
        try {
            unpacking.into(partial);
            markFresh(partial);
            // Programs that run from the old one go on.
            Folders.delete(entry);
            Files.move(partial, entry, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Folders.delete(partial);
        }
    }
}

package dev.sluice.testkit.servers;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Unpacked server programs, kept between runs in the user's cache folder: {@code $SLUICE_SERVERS_CACHE} (or the system
 * property {@code sluice.servers.cache}), else {@code sluice/servers} in {@code $XDG_CACHE_HOME} or {@code ~/.cache}.
 * Delete it to fetch everything again.
 *
 * <p>An entry is complete or absent: it is made in a folder beside it, under a lock that other builds on the machine
 * respect, and renamed.
 */
record ServerCache(Path root) {

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
        var entry = root.resolve(name);
        if (Files.isDirectory(entry)) {
            return entry;
        }
        Files.createDirectories(root);
        // A FileLock excludes other JVMs, the monitor this JVM's other threads.
        synchronized (ServerCache.class) {
            try (var channel = FileChannel.open(
                            root.resolve(name + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    var lock = channel.lock()) {
                if (!lock.isValid() || !Files.isDirectory(entry)) {
                    make(entry, unpacking);
                }
            }
        }
        return entry;
    }

    private void make(Path entry, Unpacking unpacking) throws IOException {
        var partial = Files.createTempDirectory(root, entry.getFileName() + ".partial-");
        try {
            unpacking.into(partial);
            Files.move(partial, entry, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Folders.delete(partial);
        }
    }
}

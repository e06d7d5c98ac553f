package dev.sluice.rocksdb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Opening writes what the write-ahead logs hold into table files. Without room for that a database could not be opened
 * again, and readers would be without it too.
 */
final class RoomToReopen {
    private static final long SOME_ROOM = 1 << 20;

    private RoomToReopen() {}

    /** How many bytes must be free; 0 when they are. */
    static long needed(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            long needed = files.filter(file -> file.toString().endsWith(".log"))
                            .mapToLong(file -> file.toFile().length())
                            .sum()
                    + SOME_ROOM;
            return Files.getFileStore(directory).getUsableSpace() < needed ? needed : 0;
        }
    }
}

package dev.sluice.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A directory on the disk that {@code java.io.tmpdir} names, gone when closed. */
record ScratchDirectory(Path path) implements AutoCloseable {
    ScratchDirectory() throws IOException {
        this(Files.createTempDirectory("sluice-bench"));
    }

    @Override
    public void close() throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(path)) {
            files = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : files) {
            Files.delete(file);
        }
    }
}

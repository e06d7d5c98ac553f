package dev.sluice.testkit.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Remembers a process that goes on when this JVM ends. A process id may be given to another process later, so the time of its
 * start is kept with it: what does not match is not ours.
 */
record PidFile(Path file) {

    record Started(ProcessHandle process, int port) {}

    void write(long pid, int port) {
        try {
            Files.writeString(
                    file,
                    "%d %d %s%n"
                            .formatted(pid, port, startOf(ProcessHandle.of(pid).orElseThrow())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Optional<Started> read() {
        if (Files.notExists(file)) {
            return Optional.empty();
        }
        try {
            var words = Files.readString(file).strip().split(" ", 3);
            return ProcessHandle.of(Long.parseLong(words[0]))
                    .filter(process -> process.isAlive() && startOf(process).equals(words[2]))
                    .map(process -> new Started(process, Integer.parseInt(words[1])));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void delete() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String startOf(ProcessHandle process) {
        return process.info().startInstant().orElseThrow().toString();
    }
}

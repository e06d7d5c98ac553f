package dev.sluice.outbox.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What a run has to tell: on its output, which a build holds back for long, and at once in {@code target/outbox-chaos.txt}. */
final class Progress {
    private static final Path FILE = Path.of("target", "outbox-chaos.txt");

    private final ChaosDatabase.Kind kind;
    private final long start = System.nanoTime();

    Progress(ChaosDatabase.Kind kind) {
        this.kind = kind;
    }

    void tell(String what) {
        String line = String.format("%s after %.1f s: %s%n", kind, (System.nanoTime() - start) / 1e9, what);
        System.out.print(line);
        try {
            Files.writeString(FILE, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}

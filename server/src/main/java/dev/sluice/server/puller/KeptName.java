package dev.sluice.server.puller;

import dev.sluice.log.LogUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/** The name of a Puller that was given none: made once, and kept beside its logs as long as they are. */
final class KeptName {
    static final String FILE = "puller-name";

    private KeptName() {}

    static String in(Path directory) {
        var file = directory.resolve(FILE);
        try {
            Files.createDirectories(directory);
            var kept = Files.exists(file) ? Files.readString(file).strip() : "";
            return kept.isEmpty() ? keep(file) : kept;
        } catch (IOException e) {
            throw new LogUnavailableException(
                    "Cannot keep this Puller's name in " + file + ": make it writable, or set cluster.node_id.", e);
        }
    }

    private static String keep(Path file) throws IOException {
        var name = UUID.randomUUID().toString();
        Files.writeString(file, name + "\n", StandardOpenOption.CREATE, StandardOpenOption.DSYNC);
        return name;
    }
}

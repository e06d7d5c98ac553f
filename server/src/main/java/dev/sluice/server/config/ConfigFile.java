package dev.sluice.server.config;

import dev.sluice.server.config.yaml.Binder;
import dev.sluice.server.config.yaml.Environment;
import dev.sluice.server.config.yaml.Problem;
import dev.sluice.server.config.yaml.Problems;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The way in: a file and the environment become a {@link Reading}. */
public final class ConfigFile {

    private static final int MAX_BYTES = 1 << 20;

    private ConfigFile() {}

    /** Never throws for what a file may hold or lack: everything wrong is in the answer. */
    public static Reading read(Path file, Map<String, String> environment) {
        try (var in = Files.newInputStream(file)) {
            var bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                return refused("is larger than 1 MiB; name a configuration file");
            }
            return parse(
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes))
                            .toString(),
                    environment);
        } catch (CharacterCodingException e) {
            return refused("is not UTF-8 text; name a configuration file");
        } catch (IOException e) {
            return refused(
                    Files.isDirectory(file)
                            ? "is a directory; name the file in it"
                            : Files.exists(file)
                                    ? "cannot be read; check its permissions"
                                    : "does not exist; copy sluice.example.yaml there, or name another file");
        }
    }

    /** The same for text that is already here. */
    public static Reading parse(String text, Map<String, String> environment) {
        var problems = new Problems();
        var config = new Binder(new Environment(environment), problems).bind(text, SluiceConfig.class);
        config.ifPresent(whole -> new CrossChecks(whole, problems).run());
        if (!problems.isEmpty()) {
            return new Reading.Refused(problems.sorted());
        }
        return config.<Reading>map(whole -> new Reading.Accepted(whole, Warnings.of(whole, problems)))
                .orElseThrow(() -> new IllegalStateException("no configuration and no problem"));
    }

    private static Reading refused(String message) {
        return new Reading.Refused(List.of(new Problem(0, "", message)));
    }
}

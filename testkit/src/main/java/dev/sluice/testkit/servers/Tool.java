package dev.sluice.testkit.servers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Runs a program of the machine to its end and takes its output. */
record Tool(Path directory, Map<String, String> environment) {

    static Tool in(Path directory) {
        return new Tool(directory, Map.of());
    }

    /** The program's standard output and error. A failure is an {@link IOException} that carries them. */
    String run(List<String> command) throws IOException {
        return run(command, InputStream.nullInputStream());
    }

    String run(List<String> command, InputStream input) throws IOException {
        var builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        builder.environment().put("LC_ALL", "C");
        var process = builder.start();
        try (var stdin = process.getOutputStream()) {
            input.transferTo(stdin);
        } catch (IOException e) {
            // A program that ends early closes its input; its exit code below says why.
        }
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            int exit = process.waitFor();
            if (exit != 0) {
                throw new IOException("%s ended with %d: %s".formatted(command.getFirst(), exit, output.strip()));
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException(command.getFirst() + " was interrupted", e);
        }
        return output;
    }
}

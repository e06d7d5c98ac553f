package dev.sluice.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A process that runs an {@link OutboxUnderTest}. */
final class OutboxChild implements AutoCloseable {
    private final CommandedProcess process;

    OutboxChild(String name, String classPath, String subject, Map<String, String> settings, Path directory)
            throws IOException {
        List<String> arguments = new ArrayList<>(List.of(subject));
        settings.forEach((key, value) -> arguments.add(key + "=" + value));
        process = new CommandedProcess(name, classPath, OutboxProcess.class, arguments, directory);
    }

    /** Does a command of {@link OutboxProcess}; returns the CPU time of the process so far. */
    long command(String command) throws IOException {
        return Long.parseLong(process.command(command));
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.close();
    }
}

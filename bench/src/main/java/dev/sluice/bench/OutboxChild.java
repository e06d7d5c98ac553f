package dev.sluice.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A process that runs an {@link OutboxUnderTest}; all get the same JVM options. */
final class OutboxChild implements AutoCloseable {
    private final String name;
    private final Process process;
    private final PrintWriter commands;
    private final BufferedReader answers;
    private final Path log;

    OutboxChild(String name, String classPath, String subject, Map<String, String> settings, Path directory)
            throws IOException {
        this.name = name;
        this.log = Files.createTempFile(directory, "outbox-", ".log");
        List<String> words = new ArrayList<>(List.of(BenchHome.java(), "-Xmx1g"));
        String options = System.getProperty("sluice.bench.jvm", "");
        if (!options.isEmpty()) {
            words.addAll(List.of(options.split(" ")));
        }
        words.addAll(List.of(
                "-Dlogback.configurationFile=logback-bench.xml",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-cp",
                classPath,
                OutboxProcess.class.getName(),
                subject));
        settings.forEach((key, value) -> words.add(key + "=" + value));
        process = new ProcessBuilder(words).redirectError(log.toFile()).start();
        commands = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Does a command of {@link OutboxProcess}; returns the CPU time of the process so far. */
    long command(String command) throws IOException {
        commands.println(command);
        String answer = answers.readLine();
        if (answer == null || !answer.startsWith("ok ")) {
            throw new IllegalStateException(name + ": " + answer + "\n" + Files.readString(log));
        }
        return Long.parseLong(answer.substring(3));
    }

    long pid() {
        return process.pid();
    }

    /** It ends by itself when nobody can command it any more. */
    @Override
    public void close() {
        commands.close();
        try {
            process.waitFor(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}

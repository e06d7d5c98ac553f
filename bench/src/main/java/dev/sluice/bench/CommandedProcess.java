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
import java.util.concurrent.TimeUnit;

/** A child JVM that runs a {@link CommandLoop}. All children get the same JVM options. */
final class CommandedProcess implements AutoCloseable {
    private final String name;
    private final Process process;
    private final PrintWriter commands;
    private final BufferedReader answers;
    private final Path log;

    CommandedProcess(String name, String classPath, Class<?> main, List<String> arguments, Path directory)
            throws IOException {
        this.name = name;
        this.log = Files.createTempFile(directory, "child-", ".log");
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
                main.getName()));
        words.addAll(arguments);
        process = new ProcessBuilder(words).redirectError(log.toFile()).start();
        commands = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * Carries out a command and returns its answer.
     *
     * @throws IllegalStateException when the child failed or ended; the message has its log
     */
    synchronized String command(String command) throws IOException {
        commands.println(command);
        String answer = answers.readLine();
        if (answer == null || !answer.startsWith("ok ")) {
            throw new IllegalStateException(name + ": " + answer + "\n" + Files.readString(log));
        }
        return answer.substring("ok ".length());
    }

    long pid() {
        return process.pid();
    }

    /** Ends the process by SIGKILL. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** The child ends by itself when its commands end. */
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

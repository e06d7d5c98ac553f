package dev.sluice.bench;

import dev.sluice.devmongo.DevMongo;
import dev.sluice.devmongo.DevMongoScript;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A devmongo in a process of its own, so that its CPU is not counted, which holds inserts of 512 B documents that can be
 * read as often as one likes. As a main class it is that process: it answers each line on its standard input
 * ({@code load N}) and ends with its parent.
 */
final class LoadedMongo implements AutoCloseable {
    static final String DATABASE = "app";
    static final String COLLECTION = "orders";
    static final int DOCUMENT_BYTES = 512;

    private final Process process;
    private final PrintStream ask;
    private final BufferedReader answers;
    private final String connection;

    LoadedMongo() throws IOException {
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx2g",
                        "-XX:+UseSerialGC",
                        "-Dlogback.configurationFile=logback-bench.xml",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LoadedMongo.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        ask = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        connection = answer();
    }

    private String answer() throws IOException {
        String line = answers.readLine();
        while (line != null && !line.startsWith("> ")) {
            line = answers.readLine();
        }
        return Objects.requireNonNull(line, "the devmongo of the benchmark ended early")
                .substring(2);
    }

    String connection() {
        return connection;
    }

    void load(int events) throws IOException {
        ask.println("load " + events);
        answer();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    public static void main(String[] args) throws IOException {
        try (DevMongo server = DevMongo.builder().start();
                BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            DevMongoScript script = server.script();
            System.out.println("> " + server.connectionString());
            String line = lines.readLine();
            while (line != null) {
                int events = Integer.parseInt(line.substring("load ".length()));
                script.preload(DATABASE, COLLECTION, events, DOCUMENT_BYTES);
                System.out.println("> loaded");
                line = lines.readLine();
            }
        }
    }
}

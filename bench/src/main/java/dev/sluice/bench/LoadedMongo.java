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
import java.util.concurrent.locks.LockSupport;

/**
 * A devmongo in a process of its own, so that its CPU is not counted, which holds inserts of 512 B documents that can be
 * read as often as one likes. As a main class it is that process: it answers each line on its standard input
 * ({@code load N}, {@code spread N}, {@code steady PER_SECOND SECONDS}) and ends with its parent.
 */
final class LoadedMongo implements AutoCloseable {
    static final String DATABASE = "app";
    static final String COLLECTION = "orders";
    static final int DOCUMENT_BYTES = 512;
    static final int IDS = 5_000;

    private final Process process;
    private final PrintStream ask;
    private final BufferedReader answers;
    private final String connection;

    LoadedMongo() throws IOException {
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        // Its history stays in memory: short pauses by a small young generation, and no new pages on
                        // the way.
                        "-Xms2g",
                        "-Xmx2g",
                        "-Xmn16m",
                        "-XX:+AlwaysPreTouch",
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

    /** The same, over {@link #IDS} documents in turn. */
    void loadSpread(int events) throws IOException {
        ask.println("spread " + events);
        answer();
    }

    /**
     * Returns when they are written, a few every millisecond, over {@link #IDS} documents in turn.
     *
     * @return how long writing took, in nanoseconds: more than it should where the rate was not reached
     */
    long loadSteadily(int eventsPerSecond, int seconds) throws IOException {
        ask.println("steady " + eventsPerSecond + " " + seconds);
        return Long.parseLong(answer());
    }

    /** CPU time of the process so far. */
    long cpuNanos() {
        return new ProcessFigures(process.pid()).cpuNanos();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** Keeps to the clock: what a pause of the machine held up is written at once behind it. */
    private static void writeSteadily(DevMongoScript script, int eventsPerSecond, int seconds) {
        long start = System.nanoTime();
        long written = 0;
        long all = (long) eventsPerSecond * seconds;
        while (written < all) {
            LockSupport.parkNanos(1_000_000);
            long due = Math.min(all, (System.nanoTime() - start) * eventsPerSecond / 1_000_000_000L);
            spread(script, written, due);
            written = due;
        }
    }

    private static void spread(DevMongoScript script, long from, long end) {
        long next = from;
        while (next < end) {
            int first = (int) (next % IDS);
            int n = (int) Math.min(end - next, IDS - first);
            script.preload(DATABASE, COLLECTION, first, n, DOCUMENT_BYTES);
            next += n;
        }
    }

    public static void main(String[] args) throws IOException {
        try (DevMongo server = DevMongo.builder().start();
                BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            DevMongoScript script = server.script();
            System.out.println("> " + server.connectionString());
            String line = lines.readLine();
            while (line != null) {
                String[] words = line.split(" ");
                int events = Integer.parseInt(words[1]);
                long begun = System.nanoTime();
                switch (words[0]) {
                    case "load" -> script.preload(DATABASE, COLLECTION, events, DOCUMENT_BYTES);
                    case "spread" -> spread(script, 0, events);
                    default -> writeSteadily(script, events, Integer.parseInt(words[2]));
                }
                System.out.println("> " + (System.nanoTime() - begun));
                line = lines.readLine();
            }
        }
    }
}

package dev.sluice.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A real PostgreSQL (fsync and synchronous_commit on) and a real Kafka broker, as {@code dev/servers} starts them, with their
 * data in a scratch directory; stopped when closed. The testkit knows how, in a process of its own: no production class
 * path has it.
 */
final class OutboxServers implements AutoCloseable {
    private static final String MAIN = "dev.sluice.testkit.servers.DevServers";

    private final BenchHome home;
    private final ScratchDirectory directory;
    private final Map<String, String> addresses;
    private boolean stopped;

    OutboxServers(BenchHome home) throws IOException {
        this.home = home;
        this.directory = new ScratchDirectory();
        this.addresses = run("up");
        Runtime.getRuntime().addShutdownHook(new Thread(this::stop));
    }

    /** A new, empty database. */
    String database(String name) throws SQLException {
        String server = Objects.requireNonNull(addresses.get("postgres"));
        try (Connection connection = DriverManager.getConnection(server);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        }
        return server.replace("/postgres?", "/" + name + "?");
    }

    String bootstrap() {
        return Objects.requireNonNull(addresses.get("kafka"));
    }

    /** For logs. */
    Path directory() {
        return directory.path();
    }

    /** What it says of each server: its name, then its address. */
    private Map<String, String> run(String verb) throws IOException {
        Process process = new ProcessBuilder(List.of(
                        BenchHome.java(),
                        "-cp",
                        home.testkit(),
                        MAIN,
                        directory.path().toString(),
                        verb,
                        "postgres",
                        "kafka"))
                .redirectErrorStream(true)
                .start();
        Map<String, String> found = new HashMap<>();
        StringBuilder all = new StringBuilder();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            while (line != null) {
                all.append(line).append('\n');
                String[] words = line.split("\\s+");
                if (words.length > 1) {
                    found.put(words[0], words[1]);
                }
                line = lines.readLine();
            }
            if (process.waitFor() != 0) {
                throw new IOException("the servers of the benchmark did not go " + verb + ":\n" + all);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return found;
    }

    private synchronized void stop() {
        if (!stopped) {
            stopped = true;
            try {
                run("down");
                directory.close();
            } catch (IOException e) {
                System.err.println("left behind: " + directory.path() + ": " + e);
            }
        }
    }

    @Override
    public void close() {
        stop();
    }
}

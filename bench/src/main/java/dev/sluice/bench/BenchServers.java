package dev.sluice.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Real servers as {@code dev/servers} starts them, with their data in a scratch directory; stopped when closed. The testkit
 * starts them in a process of its own: no production class path has it.
 */
final class BenchServers implements AutoCloseable {
    private static final String MAIN = "dev.sluice.testkit.servers.DevServers";
    private static final Pattern STATUS = Pattern.compile("(\\S+)\\s+(\\S+)\\s+\\(process (\\d+),.*");

    private final BenchHome home;
    private final List<String> names;
    private final ScratchDirectory directory;
    private final Map<String, Running> servers;
    private boolean stopped;

    private record Running(String address, long pid) {}

    /** @param names as {@code dev/servers} knows them */
    BenchServers(BenchHome home, String... names) throws IOException {
        this.home = home;
        this.names = List.of(names);
        this.directory = new ScratchDirectory();
        this.servers = run("up");
        Runtime.getRuntime().addShutdownHook(new Thread(this::stop));
    }

    String address(String name) {
        return Objects.requireNonNull(servers.get(name)).address;
    }

    long pid(String name) {
        return Objects.requireNonNull(servers.get(name)).pid;
    }

    /** For logs. */
    Path directory() {
        return directory.path();
    }

    /** Reads one status line per running server. */
    private Map<String, Running> run(String verb) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(BenchHome.java(), "-cp", home.testkit(), MAIN, directory.path() + "", verb));
        command.addAll(names);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        Map<String, Running> found = new HashMap<>();
        StringBuilder all = new StringBuilder();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            while (line != null) {
                all.append(line).append('\n');
                Matcher status = STATUS.matcher(line);
                if (status.matches()) {
                    found.put(status.group(1), new Running(status.group(2), Long.parseLong(status.group(3))));
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

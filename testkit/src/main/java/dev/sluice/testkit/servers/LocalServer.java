package dev.sluice.testkit.servers;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The life of a server's process, the same for all servers. A server says how its data is made, which command runs it and
 * by which line of its log it is ready.
 */
abstract class LocalServer implements RealServer {

    private static final int STOP_WITHIN_SECONDS = 60;

    private final String name;
    private final ServerPlace place;
    private @Nullable ServerProcess process;

    LocalServer(String name, ServerPlace place) {
        this.name = name;
        this.place = place;
    }

    /** Makes the data of a new server. */
    abstract void prepare() throws IOException;

    abstract List<String> command() throws IOException;

    /** What the log says when clients may come. */
    abstract String readyLine();

    /** What to install if this server cannot be had, to follow "…: " */
    abstract String remedy();

    /** How long a start may take. */
    Duration startWithin() {
        return Duration.ofSeconds(60);
    }

    /** The signal for an orderly end. */
    String stopSignal() {
        return "TERM";
    }

    ServerPlace place() {
        return place;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final int port() {
        return place.port();
    }

    @Override
    public final Path logFile() {
        return place.log();
    }

    @Override
    public final synchronized boolean isRunning() {
        return process != null && process.isAlive();
    }

    /** Takes over a process that an earlier JVM started for this server. */
    final synchronized void adopt(ProcessHandle running) {
        process = new ServerProcess(running);
    }

    final synchronized long pid() {
        return running().handle().pid();
    }

    @Override
    public final synchronized void start() {
        if (isRunning()) {
            throw new IllegalStateException(name + " runs already");
        }
        try {
            if (place.endsWithJvm()) {
                TestRun.current().opened(this);
            }
            if (Files.notExists(place.data())) {
                prepareWhollyOrNotAtAll();
            }
            long logged = Files.exists(logFile()) ? Files.size(logFile()) : 0;
            process = ServerProcess.launch(command(), logFile(), place.endsWithJvm());
            awaitReady(process, logged);
        } catch (IOException e) {
            close();
            var reason = String.valueOf(e.getMessage()).replaceAll("\\s+", " ");
            throw new ServerUnavailableException("%s does not start (%s): %s.".formatted(name, reason, remedy()), e);
        }
    }

    @Override
    public final synchronized void stop() {
        var server = running();
        signal(() -> server.ask(stopSignal()));
        // A paused server could not obey.
        signal(server::resume);
        if (!server.awaitEnd(STOP_WITHIN_SECONDS)) {
            kill();
            throw new IllegalStateException("%s did not stop within %d s and was killed; see %s"
                    .formatted(name, STOP_WITHIN_SECONDS, place.keptLog()));
        }
    }

    @Override
    public final synchronized void kill() {
        var server = running();
        signal(server::kill);
        server.awaitEnd(STOP_WITHIN_SECONDS);
    }

    @Override
    public final synchronized void pause() {
        signal(running()::pause);
    }

    @Override
    public final synchronized void resume() {
        signal(running()::resume);
    }

    @Override
    public final synchronized void close() {
        if (isRunning()) {
            kill();
        }
        if (place.endsWithJvm()) {
            TestRun.current().closed(this);
            signal(() -> Folders.delete(place.folder()));
        }
    }

    private void prepareWhollyOrNotAtAll() throws IOException {
        Files.createDirectories(place.folder());
        try {
            prepare();
        } catch (IOException e) {
            Folders.delete(place.data());
            throw e;
        }
    }

    /**
     * Puts a copy of a new server's data in its place. It is made once for that version and those options, and kept in the
     * cache: making it takes seconds.
     */
    final void copyNewData(String version, List<String> options, ServerCache.Unpacking making) throws IOException {
        var entry = "%s-data-%08x".formatted(version, options.hashCode());
        var made = ServerCache.ofUser().entry(entry, making);
        var copy = List.of("cp", "--archive", made.toString(), place.data().toString());
        Tool.in(place.folder()).run(copy);
    }

    private ServerProcess running() {
        if (process == null) {
            throw new IllegalStateException(name + " was not started");
        }
        return process;
    }

    private void awaitReady(ServerProcess server, long logged) throws IOException {
        long deadline = System.nanoTime() + startWithin().toNanos();
        while (!logSince(logged).contains(readyLine())) {
            if (!server.isAlive()) {
                throw new IOException("it ended at once, " + lastOfLog(logged));
            }
            if (System.nanoTime() > deadline) {
                throw new IOException("it is not ready after %s, %s".formatted(startWithin(), lastOfLog(logged)));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private String logSince(long offset) throws IOException {
        try (var log = new RandomAccessFile(logFile().toFile(), "r")) {
            var text = new byte[(int) (log.length() - offset)];
            log.seek(offset);
            log.readFully(text);
            return new String(text, StandardCharsets.UTF_8);
        }
    }

    private String lastOfLog(long offset) throws IOException {
        var lines = logSince(offset).strip().lines().toList();
        var last = lines.subList(Math.max(0, lines.size() - 5), lines.size());
        return "see %s, which ends with: %s".formatted(place.keptLog(), String.join(" | ", last));
    }

    private interface Signal {
        void send() throws IOException;
    }

    private static void signal(Signal signal) {
        try {
            signal.send();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package dev.sluice.testkit.process;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A real process that a test starts, watches and kills.
 *
 * <p>It never outlives this JVM, even when this JVM is killed with {@code kill -9}. Signals reach everything that the
 * process has started itself. Stdout and stderr go to {@link #log()}, which is kept; a failed wait says why and shows the
 * end of it. A child is steered by one thread, that of its test; {@link #isAlive()} may be asked by any.
 */
public final class ChildProcess implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(10);
    private static final Duration DEATH = Duration.ofSeconds(60);
    private static final int TAIL = 40;

    private final ProcessSpec spec;
    private final ProcessLog log;
    private volatile Process process;
    private long startOfLog;

    private ChildProcess(ProcessSpec spec, ProcessLog log) {
        this.spec = spec;
        this.log = log;
        this.process = launch();
    }

    /** Starts it; its log is {@code target/processes/NAME.log} in the module under test. */
    public static ChildProcess start(ProcessSpec spec) {
        return new ChildProcess(spec, ProcessLog.create(Path.of("target", "processes"), spec.name()));
    }

    /** Starts the same command again with the same log, after {@link #kill9()} if it still runs. */
    public void restart() {
        kill9();
        log.append("--- restarted ---");
        process = launch();
    }

    private Process launch() {
        startOfLog = log.size();
        ProcessBuilder builder = new ProcessBuilder(spec.command())
                .directory(spec.directory().toAbsolutePath().toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.file().toFile()));
        builder.environment().putAll(spec.environment());
        try {
            return OrphanGuard.start(spec.name(), builder);
        } catch (IOException e) {
            throw new IllegalStateException("Cannot start " + spec.name() + " by " + spec.command() + ".", e);
        }
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** The file that holds its stdout and stderr, across restarts. */
    public Path log() {
        return log.file();
    }

    /** Where its log ends now; see {@link #awaitLineAfter}. */
    public long logPosition() {
        return log.size();
    }

    /** Waits for a line, written since its last start, in which this regular expression is found. */
    public MatchResult awaitLine(String regex, Duration timeout) {
        return awaitLineAfter(startOfLog, regex, timeout);
    }

    /** The same, but only lines after a {@link #logPosition()} taken earlier count. */
    public MatchResult awaitLineAfter(long position, String regex, Duration timeout) {
        ProcessLog.Search search = log.search(position, Pattern.compile(regex));
        return await("a line matching /" + regex + "/", timeout, search::next);
    }

    /** Waits until a GET of this address answers 200. */
    public void awaitHealthy(URI address, Duration timeout) {
        HttpRequest request =
                HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(2)).build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            await("200 from " + address, timeout, () -> isOk(client, request) ? Optional.of(true) : Optional.empty());
        }
    }

    private static boolean isOk(HttpClient client, HttpRequest request) {
        try {
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException notYet) {
            return false;
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Waits for its end and returns the exit code; a signal's is 128 + its number. */
    public int awaitExit(Duration timeout) {
        try {
            if (!process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                throw failure("still runs after " + timeout);
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** SIGKILL, and waits until it is gone. Harmless when it is gone already. */
    public void kill9() {
        if (isAlive()) {
            signal("KILL");
            awaitExit(DEATH);
        }
    }

    /** SIGTERM, and waits for its orderly end; returns the exit code. */
    public int terminate(Duration timeout) {
        signal("TERM");
        return awaitExit(timeout);
    }

    /** SIGSTOP: it stands still, holding its sockets and believing in its leases, until {@link #resume()}. */
    public void pause() {
        signal("STOP");
        StoppedThreads.await(pid());
    }

    /** SIGCONT: it goes on and does not know that time has passed. */
    public void resume() {
        signal("CONT");
    }

    /** The same as {@link #kill9()}. */
    @Override
    public void close() {
        kill9();
    }

    private void signal(String name) {
        String kill = "kill -s " + name + " -- -" + pid() + " 2>/dev/null || kill -s " + name + " " + pid();
        try {
            int code = new ProcessBuilder("sh", "-c", kill)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
            if (code != 0 && isAlive()) {
                throw failure("could not be sent SIG" + name);
            }
        } catch (IOException e) {
            throw new IllegalStateException("Cannot run sh to send SIG" + name + ": install a POSIX shell.", e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private <T> T await(String what, Duration timeout, Supplier<Optional<T>> attempt) {
        long start = System.nanoTime();
        while (true) {
            boolean lastChance = !isAlive();
            Optional<T> found = attempt.get();
            if (found.isPresent()) {
                return found.get();
            }
            if (lastChance) {
                throw failure("ended with exit code " + process.exitValue() + " before " + what);
            }
            if (System.nanoTime() - start > timeout.toNanos()) {
                throw failure("showed no sign of " + what + " within " + timeout);
            }
            try {
                Thread.sleep(POLL);
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }
    }

    private AssertionError failure(String what) {
        return new AssertionError("Process " + spec.name() + " (" + pid() + ") " + what + ". The end of " + log.file()
                + ":\n" + log.tail(TAIL));
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("Interrupted while waiting for a process.", e);
    }

    @Override
    public String toString() {
        return spec.name() + " (" + pid() + ", " + spec.command().getFirst() + ")";
    }
}

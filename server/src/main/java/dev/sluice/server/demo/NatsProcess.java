package dev.sluice.server.demo;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A NATS server with JetStream as a process beside the demo, on loopback. It ends with the demo, also when the demo is killed: a
 * shell between the two reads a pipe of the demo, and its end is the signal. A Ctrl-C at the terminal does not reach it, so that
 * the demo can stop its worker first.
 */
final class NatsProcess implements AutoCloseable {
    private static final String PROGRAM = "nats-server";
    private static final Pattern VERSION = Pattern.compile("v?(\\d+)\\.(\\d+)\\.\\d+");
    private static final int STOP_SECONDS = 10;

    private static final String GUARD = """
            trap '' HUP INT TERM
            $(command -v setsid) "$@" </dev/null &
            server=$!
            read -r stop
            kill "$server" 2>/dev/null
            wait "$server"
            """;

    private final Process shell;
    private final int port;

    private NatsProcess(Process shell, int port) {
        this.shell = shell;
        this.port = port;
    }

    /** A server on the PATH that is new enough (2.10). */
    static Optional<Path> onPath() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(folder -> Path.of(folder, PROGRAM))
                .filter(Files::isExecutable)
                .filter(NatsProcess::isNewEnough)
                .findFirst();
    }

    private static boolean isNewEnough(Path program) {
        try {
            Process asked = new ProcessBuilder(program.toString(), "--version")
                    .redirectErrorStream(true)
                    .start();
            String answer = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Matcher version = VERSION.matcher(answer);
            return version.find() && atLeast210(Integer.parseInt(version.group(1)), Integer.parseInt(version.group(2)));
        } catch (IOException notRunnable) {
            return false;
        }
    }

    private static boolean atLeast210(int major, int minor) {
        return major > 2 || major == 2 && minor >= 10;
    }

    /** Returns at once; the server takes a moment until it accepts connections. */
    static NatsProcess start(Path program, Path data, int port) throws IOException {
        Files.createDirectories(data);
        List<String> command = List.of(
                "sh",
                "-c",
                GUARD,
                PROGRAM,
                program.toString(),
                "--addr=127.0.0.1",
                "--port=" + port,
                "--jetstream",
                "--store_dir=" + data);
        Process shell = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(data.resolve("server.log").toFile())
                .start();
        return new NatsProcess(shell, port);
    }

    String url() {
        return "nats://127.0.0.1:" + port;
    }

    @Override
    public void close() throws IOException {
        shell.getOutputStream().close();
        try {
            if (!shell.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                shell.descendants().forEach(ProcessHandle::destroyForcibly);
                shell.destroyForcibly();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

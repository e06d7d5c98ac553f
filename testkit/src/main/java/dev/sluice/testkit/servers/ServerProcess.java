package dev.sluice.testkit.servers;

import dev.sluice.testkit.process.OrphanGuard;
import dev.sluice.testkit.process.StoppedThreads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** The running process of a server, with the processes it started: signals reach them all. */
record ServerProcess(ProcessHandle handle) {

    private static final int CHILDREN_END_WITHIN_SECONDS = 60;

    /** Starts the command, its output appended to the log. If it ends with the JVM, then also when the JVM is killed. */
    static ServerProcess launch(List<String> command, Path log, boolean endsWithJvm) throws IOException {
        var builder = new ProcessBuilder(new ArrayList<>(command))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .redirectInput(Path.of("/dev/null").toFile());
        if (endsWithJvm) {
            return new ServerProcess(OrphanGuard.start("server", builder).toHandle());
        }
        // It replaces itself by the command: the process is the server's own.
        builder.command().addFirst("setsid");
        return new ServerProcess(builder.start().toHandle());
    }

    boolean isAlive() {
        return handle.isAlive();
    }

    /** Asks the server to end; it passes that on to its own processes. */
    void ask(String signal) throws IOException {
        send(signal, Stream.of(handle));
    }

    /** Returns when its children are gone too: the shared memory they hold would keep the next start from its data. */
    void kill() throws IOException {
        // Stopped, it cannot start another while we count them.
        send("STOP", Stream.of(handle));
        StoppedThreads.await(handle.pid());
        var children = handle.descendants().toList();
        send("KILL", Stream.concat(Stream.of(handle), children.stream()));
        children.forEach(child -> new ServerProcess(child).awaitEnd(CHILDREN_END_WITHIN_SECONDS));
    }

    void pause() throws IOException {
        send("STOP", Stream.of(handle));
        StoppedThreads.await(handle.pid());
        var children = handle.descendants().toList();
        send("STOP", children.stream());
        children.forEach(child -> StoppedThreads.await(child.pid()));
    }

    void resume() throws IOException {
        send("CONT", Stream.concat(handle.descendants(), Stream.of(handle)));
    }

    /** Whether it has ended within that time. */
    boolean awaitEnd(long seconds) {
        try {
            handle.onExit().get(seconds, TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static void send(String signal, Stream<ProcessHandle> processes) throws IOException {
        var command = new ArrayList<>(List.of("sh", "-c", "for pid; do kill -$0 $pid 2>/dev/null; done; true", signal));
        processes.map(process -> Long.toString(process.pid())).forEach(command::add);
        Tool.in(Path.of(".")).run(command);
    }
}

package dev.sluice.testkit.process;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Starts processes that do not outlive this JVM: one tiny shell beside it kills every registered one when the JVM is gone, however it went: the shell
 * reads our pipe, and its end is the signal, so even {@code kill -9} of this JVM leaves no orphans. An orderly exit takes
 * the same path, through a shutdown hook that closes the pipe and waits.
 *
 * <p>A child waits at the gate until it is registered, so that there is no instant at which it runs
 * unguarded. The guard and each child lead sessions of their own where {@code setsid} exists: a Ctrl-C at the terminal
 * does not take the guard away, and a signal to a child reaches all that it has started.
 */
public final class OrphanGuard {

    /** Becomes the command in a session of its own where that can be had; the process id stays. */
    private static final String OWN_SESSION = """
            command -v setsid >/dev/null 2>&1 && exec setsid "$@"
            exec "$@"
            """;

    /** Run by {@code sh -c GATE name command…}: becomes the command only when told to by a line; the process id stays. */
    private static final String GATE = """
            IFS= read -r go || exit 125
            exec </dev/null
            """ + OWN_SESSION;

    private static final String WATCH = """
            trap '' HUP INT TERM
            pids=' '
            while read -r verb pid; do
              case $verb in
                watch) pids="$pids$pid " ;;
                forget) case $pids in *" $pid "*) pids="${pids%% $pid *} ${pids#* $pid }" ;; esac ;;
              esac
            done
            for pid in $pids; do kill -s KILL -- "-$pid" || kill -s KILL "$pid"; done 2>/dev/null
            """;

    private static final OrphanGuard INSTANCE = new OrphanGuard();

    private final Process shell;
    private final OutputStream pipe;

    private OrphanGuard() {
        try {
            shell = new ProcessBuilder("sh", "-c", OWN_SESSION, "orphan-guard", "sh", "-c", WATCH)
                    .redirectInput(ProcessBuilder.Redirect.PIPE)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw new IllegalStateException("Cannot start sh, which guards child processes: install a POSIX shell.", e);
        }
        pipe = shell.getOutputStream();
        Runtime.getRuntime().addShutdownHook(new Thread(this::killAll, "orphan-guard"));
    }

    /** Starts the command of this builder, guarded; the name is for {@code ps}. Its standard input is empty. */
    public static Process start(String name, ProcessBuilder builder) throws IOException {
        List<String> gated = new ArrayList<>(List.of("sh", "-c", GATE, name));
        gated.addAll(builder.command());
        Process started = builder.command(gated)
                .redirectInput(ProcessBuilder.Redirect.PIPE)
                .start();
        INSTANCE.tell("watch " + started.pid());
        started.onExit().thenRun(() -> INSTANCE.tell("forget " + started.pid()));
        try (OutputStream gate = started.getOutputStream()) {
            gate.write("go\n".getBytes(StandardCharsets.US_ASCII));
        }
        return started;
    }

    private synchronized void tell(String line) {
        try {
            pipe.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
            pipe.flush();
        } catch (IOException e) {
            throw new IllegalStateException("The guard of child processes is gone; this JVM may leave orphans.", e);
        }
    }

    private synchronized void killAll() {
        try {
            pipe.close();
            shell.waitFor(5, TimeUnit.SECONDS);
        } catch (IOException e) {
            // The guard is gone already, and has killed them all on its way out.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package dev.sluice.testkit.servers;

import java.nio.file.Path;

/**
 * A server that runs as a process of its own, and that a test may hurt.
 *
 * <p>Port and data stay the same from one start to the next, until {@link #close()}. Hurt only private instances
 * ({@code startPrivate()}): the shared ones belong to every test of the run. Whatever happens to the JVM, the process does
 * not outlive it.
 */
public interface RealServer extends AutoCloseable {

    /** What it is, for messages and file names: {@code postgres}, {@code kafka}, … */
    String name();

    /** The loopback port that clients connect to. */
    int port();

    /** What a client needs to connect, in the form that its library takes. */
    String url();

    /** Starts it and returns when it accepts clients. */
    void start();

    /** Asks it to end in its orderly way, and waits until it has. */
    void stop();

    /** Ends it at once (SIGKILL), with every process it started. */
    void kill();

    /** Freezes it (SIGSTOP): connections stay open and nothing answers. */
    void pause();

    /** Lets a paused server go on (SIGCONT). */
    void resume();

    /** Stops it in its orderly way and starts it again. */
    default void restart() {
        stop();
        start();
    }

    boolean isRunning();

    /** What it prints, over all its starts. Kept in {@code target/server-logs} if a test of the run fails. */
    Path logFile();

    /** Kills it and deletes its data; its log stays until the run ends. Closing twice is harmless. */
    @Override
    void close();
}

package dev.sluice.testkit.process;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits until a signal to stop has reached every thread of a process. {@code kill} returns before that, and a thread
 * that still runs on another core may answer one more request.
 */
public final class StoppedThreads {

    private static final Duration WITHIN = Duration.ofSeconds(60);

    private StoppedThreads() {}

    public static void await(long pid) {
        long start = System.nanoTime();
        while (!areAllOf(pid)) {
            if (System.nanoTime() - start > WITHIN.toNanos()) {
                throw new IllegalStateException("Process " + pid + " still runs " + WITHIN + " after SIGSTOP.");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    private static boolean areAllOf(long pid) {
        try (var threads = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads) {
                if (!isStopped(Files.readString(thread.resolve("stat")))) {
                    return false;
                }
            }
            return true;
        } catch (IOException | DirectoryIteratorException gone) {
            // A thread ended meanwhile: look again. The process ended: it stands still for good.
            return Files.notExists(Path.of("/proc", Long.toString(pid)));
        }
    }

    /** The state follows the name, which stands in parentheses and may hold any character: T or t, or dead. */
    private static boolean isStopped(String stat) {
        return "TtZX".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) >= 0;
    }
}

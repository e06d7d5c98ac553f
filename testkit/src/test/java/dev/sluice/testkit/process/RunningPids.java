package dev.sluice.testkit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Asks {@code ps} whether a process runs: one that is dead but not yet reaped by its foster parent does not. */
final class RunningPids {

    private RunningPids() {}

    static boolean isRunning(long pid) {
        try {
            Process ps = new ProcessBuilder("ps", "-o", "stat=", "-p", "" + pid).start();
            String state = new String(ps.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            return !state.isEmpty() && !state.startsWith("Z");
        } catch (IOException e) {
            throw new UncheckedIOException("These tests need ps: install procps.", e);
        }
    }

    static void awaitGone(long pid, Duration timeout) {
        long start = System.nanoTime();
        while (isRunning(pid)) {
            if (System.nanoTime() - start > timeout.toNanos()) {
                throw new AssertionError("Process " + pid + " still runs after " + timeout);
            }
        }
    }
}

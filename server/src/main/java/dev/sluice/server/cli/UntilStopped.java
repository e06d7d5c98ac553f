package dev.sluice.server.cli;

import java.util.concurrent.CountDownLatch;

/**
 * Lets a command run until it ends by itself or somebody sends SIGTERM or Ctrl-C; then closes what it holds and ends the
 * process with 0: an orderly stop is no failure.
 */
final class UntilStopped {
    private UntilStopped() {}

    /** What a command does meanwhile. */
    interface Work {
        int run() throws Exception;
    }

    /** Waits for the signal only. */
    static int await(Runnable close) throws Exception {
        return run(
                () -> {
                    new CountDownLatch(1).await();
                    return ExitCode.DONE;
                },
                close);
    }

    /** @param close called once, after the work ended or when the signal comes */
    static int run(Work work, Runnable close) throws Exception {
        var hook = new Thread(
                () -> {
                    close.run();
                    System.err.flush();
                    Runtime.getRuntime().halt(ExitCode.DONE);
                },
                "stop");
        Runtime.getRuntime().addShutdownHook(hook);
        var code = ExitCode.DONE;
        try {
            code = work.run();
        } finally {
            if (removed(hook)) {
                close.run();
            }
        }
        return code;
    }

    /** False when the process is ending already: then the hook closes. */
    private static boolean removed(Thread hook) {
        try {
            return Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            return false;
        }
    }
}

package dev.sluice.testkit.process;

import java.time.Duration;

/** A JVM that starts a long sleeper as a child process, says its pid, and then waits, or exits when told to; or ticks. */
public final class ParentOfSleeper {

    private ParentOfSleeper() {}

    @SuppressWarnings("SystemOut") // its stdout is what the test reads
    public static void main(String[] args) throws InterruptedException {
        if (args[0].equals("version")) {
            System.out.println("feature " + Runtime.version().feature() + " heap "
                    + Runtime.getRuntime().maxMemory());
            return;
        }
        if (args[0].equals("ticks")) {
            while (true) {
                System.out.println("tick");
                Thread.sleep(20);
            }
        }
        ChildProcess sleeper = ChildProcess.start(ProcessSpec.of("sleeper", "sleep", "600"));
        if (args[0].equals("paused")) {
            sleeper.pause();
        }
        System.out.println("sleeper " + sleeper.pid());
        if (!args[0].equals("exit")) {
            Thread.sleep(Duration.ofMinutes(5));
        }
    }
}

package dev.sluice.run;

import java.time.Duration;

/**
 * A loop whose last step failed.
 *
 * @param loop its name, which is also its thread's name
 * @param failures consecutive failed steps
 * @param lasting time since the first of them
 * @param cause what the last one threw
 */
public record LoopFailure(String loop, long failures, Duration lasting, Throwable cause) {
    /** One line for health reports and logs. */
    public String text() {
        return "loop %s has failed %d times in %d s: %s".formatted(loop, failures, lasting.toSeconds(), cause);
    }
}

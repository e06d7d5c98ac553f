package dev.sluice.run;

import java.time.Duration;

/**
 * A loop whose last step failed, or that ended although nobody stopped it.
 *
 * @param loop its name, which is also its thread's name
 * @param failures consecutive failed steps
 * @param lasting time since the first of them
 * @param cause what the last one threw
 * @param ended whether its thread has ended, so that it does not try again
 */
public record LoopFailure(String loop, long failures, Duration lasting, Throwable cause, boolean ended) {
    /** One line for health reports and logs. */
    public String text() {
        if (ended) {
            return "loop %s has ended: %s".formatted(loop, cause);
        }
        return "loop %s has failed %d times in %d s: %s".formatted(loop, failures, lasting.toSeconds(), cause);
    }
}

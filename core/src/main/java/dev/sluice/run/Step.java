package dev.sluice.run;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One bounded piece of a loop's work. */
@FunctionalInterface
public interface Step {
    /**
     * Does the work once.
     *
     * @return the pause before the next call, zero for none; null when the loop has nothing left to do and ends
     * @throws InterruptedException ends the loop
     * @throws Exception anything else is reported, and the step is called again after a back-off
     */
    @Nullable
    Duration run() throws Exception;
}

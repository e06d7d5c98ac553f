package dev.sluice.server.puller;

import dev.sluice.log.AbsentLog;
import dev.sluice.log.LogReader;
import java.time.InstantSource;

/**
 * A backend that could not be opened, mostly because its log is damaged. The others run without it; it stays so until a
 * person acts and the Puller is started again.
 *
 * @param cause its message says what to do
 */
public record FailedBackend(String name, RuntimeException cause) {
    static final String STATUS = "failed";

    String reason() {
        return String.valueOf(cause.getMessage());
    }

    /** What streams read of it: nothing, and consumers keep their place. */
    LogReader reader() {
        return new AbsentLog(reason(), InstantSource.system()).reader();
    }
}

package dev.sluice.log;

import org.jspecify.annotations.Nullable;

/** The log is closed, held by another process, or its directory cannot be used. */
public final class LogUnavailableException extends EventLogException {
    private static final long serialVersionUID = 1L;

    public LogUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

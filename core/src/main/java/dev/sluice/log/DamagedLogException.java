package dev.sluice.log;

import org.jspecify.annotations.Nullable;

/** A file of the log does not read as it was written, or is of a format this version does not know. Nothing is repaired silently. */
public final class DamagedLogException extends EventLogException {
    private static final long serialVersionUID = 1L;

    public DamagedLogException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

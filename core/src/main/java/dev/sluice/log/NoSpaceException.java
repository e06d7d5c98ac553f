package dev.sluice.log;

import org.jspecify.annotations.Nullable;

/** The disk is full, or at its free-space floor. Trying again later is safe. */
public final class NoSpaceException extends EventLogException {
    private static final long serialVersionUID = 1L;

    public NoSpaceException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

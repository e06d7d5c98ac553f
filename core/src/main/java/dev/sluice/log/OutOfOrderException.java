package dev.sluice.log;

import org.jspecify.annotations.Nullable;

/** An event older than the head that the log does not have: capture lost the order, and storing it would hide that. */
public final class OutOfOrderException extends EventLogException {
    private static final long serialVersionUID = 1L;

    public OutOfOrderException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

package dev.sluice.log;

import org.jspecify.annotations.Nullable;

/** The log cannot do what was asked. The message says who must act and what they can do. */
public sealed class EventLogException extends RuntimeException
        permits OutOfOrderException, NoSpaceException, DamagedLogException, LogUnavailableException {
    private static final long serialVersionUID = 1L;

    EventLogException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

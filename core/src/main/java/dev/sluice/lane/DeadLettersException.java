package dev.sluice.lane;

import org.jspecify.annotations.Nullable;

/** Dead letters cannot be kept or read now. The message says what an operator can do; whoever called may try again. */
public final class DeadLettersException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public DeadLettersException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

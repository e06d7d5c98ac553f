package dev.sluice.testkit.servers;

import org.jspecify.annotations.Nullable;

/** A server cannot be had or does not start; the message is one sentence that says what to install or where to look. */
public final class ServerUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ServerUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

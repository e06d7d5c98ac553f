package dev.sluice.gateway;

import org.jspecify.annotations.Nullable;

/** The Streamer cannot be asked now. Nothing was lost; try again. */
public final class StreamerUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StreamerUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

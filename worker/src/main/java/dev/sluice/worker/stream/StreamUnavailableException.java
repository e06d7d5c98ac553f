package dev.sluice.worker.stream;

import org.jspecify.annotations.Nullable;

/** JetStream gave no answer. A change that was asked for may have happened, or not, or may happen later. */
public final class StreamUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StreamUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

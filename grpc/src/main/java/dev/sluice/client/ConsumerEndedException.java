package dev.sluice.client;

/** A consumer gave up because trying again would not help. The message says what to do. */
public final class ConsumerEndedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ConsumerEndedException(String message, Throwable cause) {
        super(message, cause);
    }
}

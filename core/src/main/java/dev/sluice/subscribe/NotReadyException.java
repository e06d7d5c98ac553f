package dev.sluice.subscribe;

/** A change cannot be applied everywhere now; nothing has changed. Whoever called tries again in a moment. */
public final class NotReadyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NotReadyException(String message) {
        super(message);
    }

    public NotReadyException(String message, Throwable cause) {
        super(message, cause);
    }
}

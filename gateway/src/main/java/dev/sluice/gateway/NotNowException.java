package dev.sluice.gateway;

/**
 * Thrown by a callback that cannot take any event now, because its database is away, say. The event comes again for as
 * long as it takes. Of other exceptions the event itself may be the cause: one that still fails after a minute, alone,
 * while the gateway answers otherwise, becomes a dead letter after the Streamer's attempts.
 */
public final class NotNowException extends Exception {
    private static final long serialVersionUID = 1L;

    public NotNowException(String reason) {
        super(reason);
    }

    public NotNowException(String reason, Throwable cause) {
        super(reason, cause);
    }
}

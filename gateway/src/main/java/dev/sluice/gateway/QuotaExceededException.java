package dev.sluice.gateway;

/** The Streamer has no room for another subscription now: one of its quotas is used up. Try again when others have ended. */
public final class QuotaExceededException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    QuotaExceededException(String message) {
        super(message);
    }
}

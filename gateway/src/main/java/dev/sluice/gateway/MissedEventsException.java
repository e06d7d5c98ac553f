package dev.sluice.gateway;

/**
 * The marker a subscription was to go on from is older than what the Streamer can still read: changes are missing. Read
 * the source's current state, and subscribe without a marker.
 */
public final class MissedEventsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MissedEventsException(String message) {
        super(message);
    }
}

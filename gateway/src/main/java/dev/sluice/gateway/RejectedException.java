package dev.sluice.gateway;

/** Thrown by a callback that will never take this event. The message is what a person finds beside the dead letter. */
public final class RejectedException extends Exception {
    private static final long serialVersionUID = 1L;

    public RejectedException(String reason) {
        super(reason);
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}

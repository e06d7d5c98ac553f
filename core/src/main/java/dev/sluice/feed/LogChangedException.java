package dev.sluice.feed;

/** The log was refilled, or another Puller is read: every position must be resolved anew by its event id. */
public final class LogChangedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public LogChangedException(String message) {
        super(message);
    }
}

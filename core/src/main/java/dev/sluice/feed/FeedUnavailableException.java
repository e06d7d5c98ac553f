package dev.sluice.feed;

/** The Puller cannot be read now. Nothing is lost by trying again. */
public final class FeedUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public FeedUnavailableException(String message) {
        super(message);
    }

    public FeedUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}

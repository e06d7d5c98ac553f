package dev.sluice.feed;

import dev.sluice.model.Position;

/** Events behind the position are no longer kept: the subscriptions that wanted them must read the source's current state. */
public final class FeedOutOfRangeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Position oldest;

    public FeedOutOfRangeException(String message, Position oldest) {
        super(message);
        this.oldest = oldest;
    }

    /** Everything behind it can be read. */
    public Position oldest() {
        return oldest;
    }
}

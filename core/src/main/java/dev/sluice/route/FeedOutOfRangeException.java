package dev.sluice.route;

import dev.sluice.model.ProgressMarker;

/** Events behind the position are no longer kept: whoever wanted them must read the source's current state. */
public final class FeedOutOfRangeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient ProgressMarker oldest;

    public FeedOutOfRangeException(String message, ProgressMarker oldest) {
        super(message);
        this.oldest = oldest;
    }

    /** The oldest position that works, of every backend. */
    public ProgressMarker oldest() {
        return oldest;
    }
}

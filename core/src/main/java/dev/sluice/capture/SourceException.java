package dev.sluice.capture;

import org.jspecify.annotations.Nullable;

/** A change source failed; {@link #failure} says how, so that callers switch over it. */
public final class SourceException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient SourceFailure failure;

    public SourceException(SourceFailure failure, @Nullable Throwable cause) {
        super(failure.getClass().getSimpleName() + ": " + failure.detail(), cause);
        this.failure = failure;
    }

    public SourceException(SourceFailure failure) {
        this(failure, null);
    }

    public SourceFailure failure() {
        return failure;
    }
}

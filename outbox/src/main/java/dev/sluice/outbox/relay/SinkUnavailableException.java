package dev.sluice.outbox.relay;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** The receiver cannot be reached, or will have nothing at the moment: no row is to blame. */
public final class SinkUnavailableException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    /** Whether another relay has taken this partition: it is tried again only as long as the claim says that it is ours. */
    private final boolean fenced;

    private final boolean inUse;

    public SinkUnavailableException(String message, boolean fenced, @Nullable Throwable cause) {
        this(message, fenced, false, cause);
    }

    private SinkUnavailableException(String message, boolean fenced, boolean inUse, @Nullable Throwable cause) {
        super(message, cause);
        this.fenced = fenced;
        this.inUse = inUse;
    }

    /** Another node holds the receiver's lock: to be tried again at a steady pace. */
    static SinkUnavailableException inUse(String message) {
        return new SinkUnavailableException(message, false, true, null);
    }

    public boolean isFenced() {
        return fenced;
    }

    /** Whether another node holds the receiver's lock: with growing pauses the relay would miss the moments in which it is free. */
    boolean isInUse() {
        return inUse;
    }
}

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

    /** Somebody else uses the receiver now, and gives it back soon. */
    static SinkUnavailableException inUse(String message) {
        return new SinkUnavailableException(message, false, true, null);
    }

    public boolean isFenced() {
        return fenced;
    }

    /** Whether to ask again at a steady pace: with growing pauses the relay would miss the moments in which nobody uses it. */
    boolean isInUse() {
        return inUse;
    }
}

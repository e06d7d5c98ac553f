package dev.sluice.outbox.relay;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** The receiver cannot be reached, or will have nothing at the moment: no row is to blame. */
public final class SinkUnavailableException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    /** Whether another relay has taken this partition: it is tried again only as long as the claim says that it is ours. */
    private final boolean fenced;

    public SinkUnavailableException(String message, boolean fenced, @Nullable Throwable cause) {
        super(message, cause);
        this.fenced = fenced;
    }

    public boolean isFenced() {
        return fenced;
    }
}

package dev.sluice.mongodb;

import dev.sluice.capture.SourceFailure;
import dev.sluice.model.ClusterTime;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a deployment has the saved position in its past. A server accepts a position in its future, and hides
 * everything up to it. A position is what a majority had, so every real primary has applied it: one that has not is of another
 * deployment, or of a restored copy, or is an old primary that does not know yet that it was replaced. The last kind steps down
 * within the election timeout, so the answer is given only after that time. Used by one thread.
 */
final class PositionCheck {
    private final Duration patience;
    private final LongSupplier nanos;
    private boolean behind;
    private long since;

    /** @param patience longer than a replaced primary keeps its role */
    PositionCheck(Duration patience, LongSupplier nanos) {
        this.patience = patience;
        this.nanos = nanos;
    }

    /** Null when the primary has the position. */
    @Nullable
    SourceFailure failure(PrimaryTime primary, ClusterTime position) {
        if (!primary.isBehind(position)) {
            behind = false;
            return null;
        }
        long now = nanos.getAsLong();
        since = behind ? since : now;
        behind = true;
        String found = "the primary's last write " + primary.applied() + " is before the saved position " + position;
        return primary.committedInItsTerm() && now - since >= patience.toNanos()
                ? new SourceFailure.HistoryLost(found + ": this is another deployment, or it was restored from a copy")
                : new SourceFailure.Retryable(
                        found + ": waiting for it to catch up, or to prove that it is the primary");
    }
}

package dev.sluice.subscribe;

import dev.sluice.model.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * A subscription and what had its id before.
 *
 * @param earlier null: nobody had it
 */
public record Replacement(@Nullable Subscription earlier, Subscription later) {
    /** It asks to begin somewhere, and did not before. */
    public boolean restarts() {
        return later.from().isPresent() && (earlier == null || !later.from().equals(earlier.from()));
    }

    /** It is another gateway's, or of another class there. */
    public boolean moves() {
        return earlier != null
                && (!earlier.gatewayId().equals(later.gatewayId()) || earlier.priority() != later.priority());
    }
}

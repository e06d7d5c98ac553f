package dev.sluice.route;

import dev.sluice.match.MatchKind;
import dev.sluice.model.ChangeEvent;

/**
 * Whether one subscription may be told of an event for all of its gateway and class, where nobody can know whom it
 * concerns. That keeps the order of all of them only while they stand at the same place. Guarded by its partition's lock.
 */
final class Representatives {
    private final Router router;
    private final Starts starts;
    private final Births births;

    Representatives(Router router, Starts starts, Births births) {
        this.router = router;
        this.starts = starts;
        this.births = births;
    }

    /** Each of this gateway is to be told: some do not stand where their class stands, or another gateway may get it. */
    boolean tellsEach(Recipient owner, ChangeEvent event) {
        return router.isServedByOthers(owner) || starts.serveSome(owner, event) || births.isBeforeSome(owner, event);
    }

    /** It stands for others and is just leaving them: the index does not know yet. */
    boolean isOutOfPlace(Match match, ChangeEvent event) {
        String id = match.subscription().id();
        return match.kind() == MatchKind.UNKNOWN && (starts.serves(id, event) || births.isBefore(id, event));
    }
}

package dev.sluice.match;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the subscriptions of a gateway are told of an event whose document is gone and was not kept: one stands for all of them that
 * may be concerned ({@link MatchKind#UNKNOWN}), or each for itself ({@link MatchKind#POSSIBLE}).
 */
@FunctionalInterface
public interface Unknowns {
    /** Tells every gateway once for all its subscriptions. */
    Unknowns TOGETHER = gateway -> List.of();

    /** The ids of this gateway's subscriptions for which no other may stand; null: each stands for itself. */
    @Nullable
    Collection<String> apart(String gateway);
}

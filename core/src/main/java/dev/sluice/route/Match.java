package dev.sluice.route;

import dev.sluice.match.MatchKind;
import dev.sluice.subscribe.SubscriptionRecord;
import java.util.List;

/**
 * One event that answers one subscription, before it is on its way.
 *
 * @param except ids of those for which the subscription does not stand
 */
record Match(SubscriptionRecord subscription, MatchKind kind, List<String> except) {}

package dev.sluice.route;

import dev.sluice.match.MatchKind;
import dev.sluice.subscribe.SubscriptionRecord;

/** One event that answers one subscription, before it is on its way. */
record Match(SubscriptionRecord subscription, MatchKind kind) {}

package dev.sluice.route;

import dev.sluice.match.MatchKind;
import dev.sluice.model.Subscription;

/** One event that answers one subscription, before it is on its way. */
record Match(Subscription subscription, MatchKind kind) {}

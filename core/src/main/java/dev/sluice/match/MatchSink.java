package dev.sluice.match;

import dev.sluice.model.Subscription;

/** Receives the matches of one event, each subscription at most once. It must not change the index. */
@FunctionalInterface
public interface MatchSink {
    void matched(Subscription subscription, MatchKind kind);
}

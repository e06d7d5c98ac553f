/**
 * Match to lanes. In: the streams of the event logs ({@link dev.sluice.feed.EventFeed}), and the registry's view. Out: matches, handed to the lane of
 * the gateway that serves them. {@link dev.sluice.route.OwnedPartition} reads, matches and hands over;
 * {@link dev.sluice.route.Group} is a cursor with the subscriptions that share it; {@link dev.sluice.route.Offering} hands an event
 * over, at the tail and behind it alike; {@link dev.sluice.saved.SavedPosition} is what survives a crash. Depends on: model, match,
 * deliver, subscribe, coordinate, feed, lane, saved, run.
 */
@NullMarked
package dev.sluice.route;

import org.jspecify.annotations.NullMarked;

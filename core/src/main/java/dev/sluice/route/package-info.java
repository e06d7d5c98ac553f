/**
 * Match to lanes. In: the streams of the event logs ({@code feed}), and the registry's view. Out: batches per gateway, in order.
 * {@link dev.sluice.route.OwnedPartition} reads, matches and hands over; {@link dev.sluice.route.Group} is a cursor with the
 * subscriptions that share it; {@link dev.sluice.route.Lane} is everything on its way to one gateway: queues, batches, retry,
 * breaker, dead letters (the port; stored by the module rocksdb). Depends on: model, match, deliver, subscribe, coordinate, run.
 */
@NullMarked
package dev.sluice.route;

import org.jspecify.annotations.NullMarked;

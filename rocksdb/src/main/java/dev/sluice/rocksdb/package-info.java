/**
 * What is kept on a local disk. In: appends, reads and evictions of {@link dev.sluice.log.EventLog}; subscriptions and
 * gateways of {@link dev.sluice.subscribe.SubscriptionStore}; {@link dev.sluice.lane.DeadLetters}. Out: the same after a
 * crash. The log has one directory per backend; events in the default column family by binary position, everything the
 * log knows about itself in another. Depends on: core (log, checkpoint, subscribe, route, model), RocksDB.
 */
@NullMarked
package dev.sluice.rocksdb;

import org.jspecify.annotations.NullMarked;

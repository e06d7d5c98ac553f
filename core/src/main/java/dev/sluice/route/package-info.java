/**
 * Match to lanes. In: matches. Out: batches per gateway, in order. Here: routers (direct, consistent hash,
 * broadcast), lanes with priority queues, watermarks, falling behind to a position in the log and catching
 * up, batching, retry and breaker per gateway, deduplication, dead letters (the port; stored by the module
 * rocksdb), positions per gateway. Depends on: model, match, deliver, subscribe, coordinate.
 */
@NullMarked
package dev.sluice.route;

import org.jspecify.annotations.NullMarked;

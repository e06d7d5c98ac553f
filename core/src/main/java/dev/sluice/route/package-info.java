/**
 * Match to lanes. In: matches. Out: batches per gateway, in order. Here: routers (direct, consistent hash,
 * broadcast), lanes with priority queues, watermarks, batching, retry and breaker, deduplication, dead
 * letters (port), positions per gateway, gateway leases. Depends on: model, match, log, deliver.
 */
@NullMarked
package dev.sluice.route;

import org.jspecify.annotations.NullMarked;

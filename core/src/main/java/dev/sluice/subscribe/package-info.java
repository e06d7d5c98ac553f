/**
 * Who wants what, and where they are. In: registrations, renewals, heartbeats and removals, already parsed. Out: a
 * subscription index that is current, and word to those who route. Here: the registries of subscriptions (TTL, quotas,
 * durable through a port that the module rocksdb implements) and of gateways (leases, grace). Its gRPC and HTTP faces
 * live in the modules grpc and http. Depends on: model, match, deliver.
 */
@NullMarked
package dev.sluice.subscribe;

import org.jspecify.annotations.NullMarked;

/**
 * The registries of subscriptions (revisions, homes, TTL, quotas, durable through a port that the module rocksdb
 * implements) and of gateways (leases, grace). In: registrations, renewals, heartbeats and removals, already parsed. Out:
 * {@link dev.sluice.subscribe.RegistryView}, that is an index for matching, the record of each subscription, and the
 * ordered changes by which routing follows. A change is decided, stored, shown, then answered. The gRPC and HTTP faces live
 * in the modules grpc and http. Depends on: model, match, deliver.
 */
@NullMarked
package dev.sluice.subscribe;

import org.jspecify.annotations.NullMarked;

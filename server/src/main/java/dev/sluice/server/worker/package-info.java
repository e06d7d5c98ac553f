/**
 * The role worker. In: the section {@code worker} of the configuration. Out: a running {@code dev.sluice.worker.Worker} whose
 * messages go to a receiver over HTTP/2, gRPC or NATS, its health, its part of the admin API, and its metrics. Depends on:
 * server.config, server.http, server.cluster, server.streamer (TLS), worker, nats, http, grpc.
 */
@NullMarked
package dev.sluice.server.worker;

import org.jspecify.annotations.NullMarked;

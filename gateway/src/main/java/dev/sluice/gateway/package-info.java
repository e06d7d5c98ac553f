/**
 * Receives what the Streamer delivers. In: deliveries over HTTP/2, gRPC or NATS. Out: the application's callback, each
 * event once per subscription, and an acknowledgement afterwards; or, through the small server, WebSocket and SSE.
 * Start at {@link dev.sluice.gateway.Gateway}. Depends on: core, grpc, nats.
 */
@NullMarked
package dev.sluice.gateway;

import org.jspecify.annotations.NullMarked;

/**
 * One attempt at one gateway. In: a batch. Out: an outcome per event: delivered, retry later, rejected,
 * fenced. Here: the Deliverer port; HTTP/2, gRPC, NATS and Kafka implementations live in the modules http,
 * grpc, nats and kafka. Depends on: model.
 */
@NullMarked
package dev.sluice.deliver;

import org.jspecify.annotations.NullMarked;

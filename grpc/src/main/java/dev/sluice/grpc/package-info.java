/**
 * The gRPC faces of the Puller and of delivery. In: calls of {@code sluice.puller.v1.PullerService} and the streams of
 * {@code dev.sluice.stream}. Out: messages whose bytes are laid out once, sent only while the consumer is ready to
 * take them. Depends on: model, net, log, stream, gRPC.
 */
@NullMarked
package dev.sluice.grpc;

import org.jspecify.annotations.NullMarked;

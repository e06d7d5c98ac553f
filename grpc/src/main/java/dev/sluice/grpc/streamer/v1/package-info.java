/**
 * Generated from {@code sluice/streamer/v1/streamer.proto}: the messages and stubs of delivery to gateways and of the
 * subscriptions they hold. No getter returns null and no setter takes it. Nothing is written here by hand. Depends on:
 * protobuf, gRPC.
 */
@NullMarked
package dev.sluice.grpc.streamer.v1;

import org.jspecify.annotations.NullMarked;

/**
 * Generated from {@code sluice/puller/v1/puller.proto}: the messages and stubs of the Puller's stream. No getter
 * returns null and no setter takes it. Nothing is written here by hand. Depends on: protobuf, gRPC.
 */
@NullMarked
package dev.sluice.grpc.puller.v1;

import org.jspecify.annotations.NullMarked;

/**
 * Generated from {@code sluice/worker/v1/worker.proto}: the messages and stubs of a worker's receiver. No getter returns null
 * and no setter takes it. Nothing is written here by hand. Depends on: protobuf, gRPC.
 */
@NullMarked
package dev.sluice.grpc.worker.v1;

import org.jspecify.annotations.NullMarked;

/**
 * Log to consumers, resumable. In: one event log per backend and a progress marker (decoded by model; too
 * old, ahead and unknown backends are answered here). Out: one merged stream with markers, filtered by
 * partition, tenant and collection, coalesced while catching up. Here too: the pace of slow consumers and the
 * list of consumers with their lag. Its gRPC face lives in the module grpc. Depends on: model, log.
 */
@NullMarked
package dev.sluice.stream;

import org.jspecify.annotations.NullMarked;

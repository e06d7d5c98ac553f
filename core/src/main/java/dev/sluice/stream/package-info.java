/**
 * Log to consumers, resumable. In: one event log per backend and a progress marker. Out: one merged stream
 * with markers, filtered by partition, tenant and collection, coalesced while catching up. Its gRPC face
 * lives in the module grpc. Depends on: model, log.
 */
@NullMarked
package dev.sluice.stream;

import org.jspecify.annotations.NullMarked;

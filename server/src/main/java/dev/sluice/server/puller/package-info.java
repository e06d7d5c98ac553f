/**
 * The Puller as a running thing. In: the configuration's puller, storage and security sections. Out: one {@link
 * dev.sluice.server.puller.BackendPipeline} per backend (source, capture, group commit, log, tail, retention), one gRPC
 * server over all of them, and what health, metrics and the admin API say of it. Start at {@link
 * dev.sluice.server.puller.Puller}. Depends on: config and the modules it wires.
 */
@NullMarked
package dev.sluice.server.puller;

import org.jspecify.annotations.NullMarked;

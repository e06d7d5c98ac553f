/**
 * Wiring of the Streamer: feed → partitions → lanes → deliverers, with its registries, control plane, health and metrics. In:
 * the configuration, and a Puller's logs when that runs in the same process. Out: a running role. The logic is in
 * dev.sluice.subscribe, match, route and deliver.
 */
@NullMarked
package dev.sluice.server.streamer;

import org.jspecify.annotations.NullMarked;

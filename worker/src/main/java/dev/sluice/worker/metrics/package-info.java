/**
 * The metrics of a worker, {@code sluice_worker_*}. In: the worker's status, counters and measured durations. Out: meters in
 * a Micrometer registry. Depends on: {@code worker}'s status and counters, Micrometer, which an application brings.
 */
@NullMarked
package dev.sluice.worker.metrics;

import org.jspecify.annotations.NullMarked;

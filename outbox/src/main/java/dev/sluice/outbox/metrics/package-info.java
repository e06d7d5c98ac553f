/**
 * The metrics of an outbox relay, {@code sluice_outbox_*}. In: what the relay says and counts. Out: meters in a Micrometer
 * registry. Depends on: {@code relay}, {@code table}'s backlog, Micrometer, which an application brings.
 */
@NullMarked
package dev.sluice.outbox.metrics;

import org.jspecify.annotations.NullMarked;

/**
 * Partitioned JetStream workers: what an application embeds. In: a connection to NATS, a stream, partitions, a handler.
 * Out: every message of the owned partitions, in order per partition, to the handler; acknowledged when it is handled or
 * kept as a dead letter. Depends on: core ({@code coordinate}, {@code model}, {@code run}), nats, jnats.
 */
@NullMarked
package dev.sluice.worker;

import org.jspecify.annotations.NullMarked;

/**
 * NATS JetStream as the receiver of an outbox. In: rows of one partition, in order. Out: messages that a stream has stored,
 * and an outcome per row. Depends on: {@code relay}'s port, {@code table}'s rows, jnats, which an application brings.
 */
@NullMarked
package dev.sluice.outbox.nats;

import org.jspecify.annotations.NullMarked;

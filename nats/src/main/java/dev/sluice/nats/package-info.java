/**
 * NATS JetStream for Sluice. In: what a cluster agrees on. Out: a CoordinationStore on key-value buckets. Depends on: core and
 * jnats.
 */
@NullMarked
package dev.sluice.nats;

import org.jspecify.annotations.NullMarked;

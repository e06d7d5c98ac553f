/**
 * NATS for Sluice. In: what a cluster agrees on, or batches for a gateway. Out: a CoordinationStore on key-value buckets,
 * or messages on the gateway's subject. Depends on: core and jnats.
 */
@NullMarked
package dev.sluice.nats;

import org.jspecify.annotations.NullMarked;

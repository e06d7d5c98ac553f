/**
 * One JetStream stream as workers use it: its state, its consumers and their deliveries, behind a port. In: consumer
 * specifications. Out: deliveries and acknowledgements. Depends on: model; the implementation on jnats.
 */
@NullMarked
package dev.sluice.worker.stream;

import org.jspecify.annotations.NullMarked;

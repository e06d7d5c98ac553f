/**
 * Dead letters of workers: messages that no handler could handle, kept with their reason until a person retries or deletes
 * them. In: a message with its failures. Out: an acknowledgement that it is kept; later the letter itself. Depends on:
 * {@code model}, {@code worker.stream}, jnats.
 */
@NullMarked
package dev.sluice.worker.deadletter;

import org.jspecify.annotations.NullMarked;

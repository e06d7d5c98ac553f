/**
 * A group of workers as an operator sees and changes it, without being a member. In: the coordination store and the stream.
 * Out: workers, partitions with their owners, dead letters. Depends on: {@code coordinate}, {@code worker.partition}, {@code
 * worker.deadletter}, {@code worker.migrate}.
 */
@NullMarked
package dev.sluice.worker.admin;

import org.jspecify.annotations.NullMarked;

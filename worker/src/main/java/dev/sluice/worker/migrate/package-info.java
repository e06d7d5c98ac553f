/**
 * Ways into a group of workers from other consumers. In: consumers of another program, one per partition. Out: the positions
 * at which a new group begins. Depends on: {@code coordinate}, {@code worker.partition}, {@code worker.cursor}, {@code
 * worker.stream}.
 */
@NullMarked
package dev.sluice.worker.migrate;

import org.jspecify.annotations.NullMarked;

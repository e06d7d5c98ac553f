/**
 * Ways into a group of workers, and from one consumer mode to the other. In: consumers of another program, one per partition;
 * a stored migration and the windows of all workers. Out: the positions at which a new group begins; the present mode of a
 * group. Depends on: {@code coordinate}, {@code worker.consume}, {@code worker.partition}, {@code worker.cursor}, {@code
 * worker.stream}.
 */
@NullMarked
package dev.sluice.worker.migrate;

import org.jspecify.annotations.NullMarked;

/**
 * How far partitions are handled, and where that is kept. In: cursors of the partitions a worker owns. Out: one stored value
 * per life of a worker, and the start of a partition that a dead worker owned. Depends on: coordinate, model.
 */
@NullMarked
package dev.sluice.worker.cursor;

import org.jspecify.annotations.NullMarked;

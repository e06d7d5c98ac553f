/**
 * Which consumers feed which partitions of one worker. In: owned partitions with their coverage. Out: consumers created,
 * changed and deleted, messages in lanes, stored cursors. Depends on: {@code worker.lane}, {@code worker.cursor}, {@code
 * worker.stream}, coordinate.
 */
@NullMarked
package dev.sluice.worker.consume;

import org.jspecify.annotations.NullMarked;

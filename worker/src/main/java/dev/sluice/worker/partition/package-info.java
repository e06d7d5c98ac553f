/**
 * Partitions of a stream. In: a list of subjects, a pattern of subjects or a number of hash slots, and the stream's state.
 * Out: the partitions of a group with their indexes, stored in the group; the partition of a subject; the filters of a
 * consumer. Depends on: {@code coordinate} (the store), {@code worker.stream}.
 */
@NullMarked
package dev.sluice.worker.partition;

import org.jspecify.annotations.NullMarked;

/** Tests of partitions and their directory. */
@NullMarked
package dev.sluice.worker.partition;

import org.jspecify.annotations.NullMarked;

/** Tests of the dead letters of workers. */
@NullMarked
package dev.sluice.worker.deadletter;

import org.jspecify.annotations.NullMarked;

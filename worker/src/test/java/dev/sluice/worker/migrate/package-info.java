/** Tests of the ways into a group of workers. */
@NullMarked
package dev.sluice.worker.migrate;

import org.jspecify.annotations.NullMarked;

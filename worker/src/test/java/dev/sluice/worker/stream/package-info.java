/** Tests of the port to a stream: one contract, run on real servers and on the model of the simulation. */
@NullMarked
package dev.sluice.worker.stream;

import org.jspecify.annotations.NullMarked;

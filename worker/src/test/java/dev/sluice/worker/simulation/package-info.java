/**
 * Workers on virtual time. In: a seed. Out: a schedule of joins, crashes, freezes, lost deliveries and undecided calls
 * over a model of a JetStream stream, and the first invariant that it breaks. The model passes the same contract as the
 * real servers. Depends on: worker, testkit.simulation.
 */
@NullMarked
package dev.sluice.worker.simulation;

import org.jspecify.annotations.NullMarked;

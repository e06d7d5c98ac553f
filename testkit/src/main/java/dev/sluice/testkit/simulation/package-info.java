/**
 * A whole cluster in one thread, on virtual time, by one seed. In: a {@link
 * dev.sluice.testkit.simulation.Scenario} that builds nodes from code without threads ({@code step()}) and states
 * invariants. Out: thousands of schedules with random interleaving, message faults, crashes, pauses and partitions; of a
 * failing one the seed and the last steps, identical on every {@link
 * dev.sluice.testkit.simulation.Simulation#replay replay}. Depends on: testkit.time.
 */
@NullMarked
package dev.sluice.testkit.simulation;

import org.jspecify.annotations.NullMarked;

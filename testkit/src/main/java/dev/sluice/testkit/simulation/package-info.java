/**
 * A whole cluster, one step at a time, on virtual time, by one seed. In: a {@link
 * dev.sluice.testkit.simulation.Scenario} that builds nodes from code without threads ({@code step()}) or from blocking
 * code on fibers ({@link dev.sluice.testkit.simulation.Node#fiber}), and states invariants. Out: thousands of schedules
 * with random interleaving, message faults, crashes, pauses and partitions; of a failing one the seed and the last
 * steps, identical on every {@link dev.sluice.testkit.simulation.Simulation#replay replay}. A simulated coordination store and
 * a {@code Clockwork} on virtual time let real groups run in it. Depends on: testkit.time, core ({@code coordinate}).
 */
@NullMarked
package dev.sluice.testkit.simulation;

import org.jspecify.annotations.NullMarked;

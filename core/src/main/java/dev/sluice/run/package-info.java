/**
 * The one way to run something over and over on a thread of its own: {@link dev.sluice.run.Loops} starts named loops,
 * survives whatever their steps throw, and tells health which of them fail.
 *
 * <p>In: a step, a pure piece of work that says how long to pause. Out: a thread that bears the loop's name, and a list of
 * failing loops. {@link dev.sluice.run.Turns} is the scheduler of the Streamer: loops, shared background work and time behind one
 * port, so that its simulation has virtual time. Depends on nothing but the logging API; every other package may use it.
 */
@NullMarked
package dev.sluice.run;

import org.jspecify.annotations.NullMarked;

/**
 * Time that stands still until a test moves it. In: steps. Out: wall time as {@link java.time.InstantSource} and elapsed
 * time as nanoseconds ({@code clock::nanos} in the place of {@code System::nanoTime}), for one machine or for several
 * whose wall clocks disagree. Depends on: nothing.
 */
@NullMarked
package dev.sluice.testkit.time;

import org.jspecify.annotations.NullMarked;

/**
 * Real processes under the test's thumb: start, await a log line or a health endpoint, {@code kill -9}, SIGTERM, SIGSTOP,
 * restart. In: a {@link dev.sluice.testkit.process.ProcessSpec}. Out: a {@link
 * dev.sluice.testkit.process.ChildProcess} that never outlives the JVM that started it, and its log under {@code
 * target/processes}. Needs a POSIX {@code sh} and {@code kill}. Depends on: nothing.
 */
@NullMarked
package dev.sluice.testkit.process;

import org.jspecify.annotations.NullMarked;

/**
 * Benchmarks that compare contenders within one run. In: a name. Out: a table, JSON, and with {@code --check} a verdict
 * on the floor. Here: the runner and one class per benchmark. Depends on: whatever is measured.
 */
@NullMarked
package dev.sluice.bench;

import org.jspecify.annotations.NullMarked;

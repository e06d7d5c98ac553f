/**
 * The coordination store of one JVM. In: the calls of CoordinationStore, from as many clients as there are handles. Out: the
 * same promises as a server's, with a clock that a test may own; values optionally kept in a journal on the local disk, so that
 * one node finds them after a restart. Depends on: coordinate.
 */
@NullMarked
package dev.sluice.coordinate.memory;

import org.jspecify.annotations.NullMarked;

/**
 * One abstract test per port: what its Javadoc promises. Every implementation runs it by a small subclass in its own
 * module, against the real thing. In: an implementation. Out: green, or the promise it breaks. Depends on: core, JUnit
 * and AssertJ.
 */
@NullMarked
package dev.sluice.testkit.contract;

import org.jspecify.annotations.NullMarked;

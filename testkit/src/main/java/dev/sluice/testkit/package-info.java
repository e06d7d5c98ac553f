/**
 * What tests stand on. Nothing in production code depends on it.
 */
@NullMarked
package dev.sluice.testkit;

import org.jspecify.annotations.NullMarked;

/**
 * Who shall own what, and when that is decided anew. In: the number of partitions, the members that take part with
 * their weights, the owners so far, and a clock's reading. Out: one owner per partition; "reassign now" or "wait". Pure
 * functions and one state machine without thread, clock or store: storing a decision and acting on it happen in {@code
 * dev.sluice.coordinate}. Depends on: model.
 */
@NullMarked
package dev.sluice.coordinate.assign;

import org.jspecify.annotations.NullMarked;

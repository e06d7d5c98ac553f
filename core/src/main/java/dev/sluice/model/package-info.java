/**
 * The values every stage shares: change event, cluster time, event id, progress marker, subscription, fencing
 * token, partitioner. In: text and bytes from outside, refused with a reason when malformed. Out: immutable
 * values. Depends on: json and the bson library only; every other package may depend on it.
 */
@NullMarked
package dev.sluice.model;

import org.jspecify.annotations.NullMarked;

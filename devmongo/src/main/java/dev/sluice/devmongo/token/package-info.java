/**
 * Resume tokens in MongoDB's own shape: a hex KeyString that sorts as the events do. In: cluster time, position in a
 * transaction, collection and document key. Out: the token's text; and back, with MongoDB's error for each kind of
 * damage. Pure; depends on {@code org.bson} only.
 */
@NullMarked
package dev.sluice.devmongo.token;

import org.jspecify.annotations.NullMarked;

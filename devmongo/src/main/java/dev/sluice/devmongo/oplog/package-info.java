/**
 * The history of writes, in one order. In: mutations that the store made. Out: entries with a cluster time that only
 * grows, each holding its change events already encoded as bytes; readers wait here for more. Bounded: the oldest entries
 * leave. Depends on {@code token} and {@code wire} (BSON bytes).
 */
@NullMarked
package dev.sluice.devmongo.oplog;

import org.jspecify.annotations.NullMarked;

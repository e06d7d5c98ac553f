/**
 * The data: databases, collections, documents by {@code _id}, unique indexes, sessions and transactions, all in memory
 * under one lock. In: reads, and mutations that commands decided on. Out: documents, refusals as MongoDB words them, and
 * every applied mutation appended to the oplog. Depends on {@code oplog} and {@code query} (the order of values).
 */
@NullMarked
package dev.sluice.devmongo.store;

import org.jspecify.annotations.NullMarked;

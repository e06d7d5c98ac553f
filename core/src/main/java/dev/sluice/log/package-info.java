/**
 * The durable, ordered, per-backend buffer between capture and consumers. In: event records with a checkpoint,
 * through {@link dev.sluice.log.GroupCommit}. Out: entries read from a position, through {@link
 * dev.sluice.log.LogReader}: from memory near the head, from disk behind. Here: the {@link dev.sluice.log.EventLog}
 * port with its in-memory implementation, the stored form of an event, and retention; RocksDB's implementation lives
 * in the module rocksdb. Depends on: model, checkpoint.
 */
@NullMarked
package dev.sluice.log;

import org.jspecify.annotations.NullMarked;

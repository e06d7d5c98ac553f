/**
 * The durable, ordered, per-backend buffer between capture and consumers. In: batches of change events with a
 * checkpoint. Out: events read from a position. Here: the EventLog port with its in-memory implementation,
 * retention and the CheckpointStore port; RocksDB's implementation lives in the module rocksdb. Depends on:
 * model.
 */
@NullMarked
package dev.sluice.log;

import org.jspecify.annotations.NullMarked;

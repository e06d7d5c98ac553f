/**
 * The event log on a local disk. In: appends, reads and evictions of {@link dev.sluice.log.EventLog}. Out: the same
 * after a crash. One directory per backend; events in the default column family by binary position, everything the log
 * knows about itself in another. Depends on: core (log, checkpoint, model), RocksDB.
 */
@NullMarked
package dev.sluice.rocksdb;

import org.jspecify.annotations.NullMarked;

/**
 * The file in which a server with a data directory keeps documents and oplog. In: oplog entries with what they changed. Out: the
 * same, replayed at the next start. Depends on {@code oplog}, {@code store}, {@code token} and {@code wire} (BSON bytes).
 */
@NullMarked
package dev.sluice.devmongo.journal;

import org.jspecify.annotations.NullMarked;

/**
 * The commands. In: one request at a time, on its connection's thread. Out: the reply MongoDB would give, success or
 * error, with the fields every reply of a replica set ends with. One small class per command or family of commands, found
 * by name in {@link Commands}. Depends on everything below it: store, changes, oplog, wire.
 */
@NullMarked
package dev.sluice.devmongo.command;

import org.jspecify.annotations.NullMarked;

/**
 * Change streams. In: the {@code $changeStream} stage, the rest of its pipeline, and the oplog. Out: batches of encoded
 * events with the token to resume from, and MongoDB's errors where history is lost, a token is not found or an event is
 * too large. No threads of its own: a cursor is read by whoever calls it. Depends on {@code oplog}, {@code token} and
 * {@code aggregate}.
 */
@NullMarked
package dev.sluice.devmongo.changes;

import org.jspecify.annotations.NullMarked;

/**
 * Fetch, send, delete: one loop per partition this node owns. In: rows of the table, claims of the group. Out: records at a
 * {@link dev.sluice.outbox.relay.Sink}, rows deleted or dead. Depends on: {@code table}, core's coordination.
 */
@NullMarked
package dev.sluice.outbox.relay;

import org.jspecify.annotations.NullMarked;

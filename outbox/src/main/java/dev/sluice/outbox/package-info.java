/**
 * What an application embeds: messages written in its own transaction, and the relay that publishes them. In: the caller's
 * connection. Out: rows, then records in order per key. Depends on: {@code table}, {@code relay}, coordination.
 */
@NullMarked
package dev.sluice.outbox;

import org.jspecify.annotations.NullMarked;

package dev.sluice.outbox.table;

import java.time.Instant;

/**
 * A row that was given up, as it stands in {@code outbox_dead} until a person requeues or deletes it.
 *
 * @param laterRowsSent whether rows of its key that come after it are already out
 */
public record Dead(Row row, String reason, int attempts, Instant deadAt, boolean laterRowsSent) {}

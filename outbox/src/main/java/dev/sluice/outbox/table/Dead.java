package dev.sluice.outbox.table;

import java.time.Instant;

/**
 * A row that was given up, as it stands in {@code outbox_dead} until a person requeues or deletes it. Without its payload:
 * many of them are there because it is too large.
 *
 * @param bytes how large the payload is
 * @param laterRowsSent whether rows of its key that come after it are already out
 */
public record Dead(
        long id,
        String topic,
        String key,
        String type,
        long bytes,
        String reason,
        int attempts,
        Instant deadAt,
        boolean laterRowsSent) {}

package dev.sluice.outbox.table;

import java.time.Instant;

/**
 * A key that waits because a row of it failed; its later rows wait behind it.
 *
 * @param rowId the row that failed
 * @param retryAt by the clock of whoever parked it
 */
public record Parked(String key, long rowId, int attempts, Instant retryAt, String error) {}

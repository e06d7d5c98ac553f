package dev.sluice.outbox.table;

import java.time.Duration;

/**
 * A key that waits because a row of it failed; its later rows wait behind it.
 *
 * @param rowId the row that failed
 * @param retryIn how long until it is tried again, by the database's clock; negative when it is due
 */
public record Parked(String key, long rowId, int attempts, Duration retryIn, String error) {}

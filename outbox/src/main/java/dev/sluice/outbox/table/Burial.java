package dev.sluice.outbox.table;

/** A row that is given up. @param laterRowsSent whether rows behind it, of its key, are already out */
public record Burial(Row row, String reason, int attempts, boolean laterRowsSent) {}

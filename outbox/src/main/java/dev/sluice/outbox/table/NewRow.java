package dev.sluice.outbox.table;

import java.util.Map;

/** A message as it is written. */
@SuppressWarnings("ArrayRecordComponent") // Rows are carried, never compared.
public record NewRow(
        int partition,
        String topic,
        String key,
        String type,
        byte[] payload,
        Map<String, String> headers,
        int priority) {}

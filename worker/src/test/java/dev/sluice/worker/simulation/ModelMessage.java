package dev.sluice.worker.simulation;

import dev.sluice.worker.stream.StreamMessage;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** A message of the model. */
record ModelMessage(long sequence, String subject, byte[] data, Map<String, List<String>> headers, Instant storedAt)
        implements StreamMessage {}

package dev.sluice.worker.stream;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/** A message as the stream stores it. */
public interface StreamMessage {
    String subject();

    /** The body; not copied, so do not change it. */
    byte[] data();

    /** Header values by name; empty when there are none. */
    Map<String, List<String>> headers();

    /** The sequence of the message in its stream: its identity. */
    long sequence();

    Instant storedAt();
}

package dev.sluice.server.worker;

import dev.sluice.model.FencingToken;
import dev.sluice.worker.MessageContext;
import dev.sluice.worker.stream.StreamMessage;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** A message as a handler gets it. */
record TestMessage(String subject, byte[] data, Map<String, List<String>> headers, long sequence, Instant storedAt)
        implements StreamMessage {

    static TestMessage of(long sequence, String text) {
        return of(sequence, text, Map.of());
    }

    static TestMessage of(long sequence, String text, Map<String, List<String>> headers) {
        return new TestMessage(
                "orders.eu", text.getBytes(StandardCharsets.UTF_8), headers, sequence, Instant.ofEpochMilli(1_000));
    }

    /** The first attempt at it, by the owner with token 2.5. */
    MessageContext context() {
        return new MessageContext(subject, "eu", "w-0", Instant.EPOCH, 1, new FencingToken(2, 5));
    }
}

package dev.sluice.outbox.nats;

import dev.sluice.outbox.relay.Sink;
import io.nats.client.Options;

/**
 * NATS JetStream as the receiver of an outbox: a message's topic is its subject, its key the header {@code outbox-key}. A stream
 * must take the subject. Headers of NATS are ASCII: in their values (the key too) anything else, and {@code %}, is
 * percent-encoded UTF-8.
 */
public final class JetStreamSinks {
    private JetStreamSinks() {}

    /**
     * Nothing is lost, first occurrences of a key are in order. Each message has an id ({@code Nats-Msg-Id}), by which
     * the stream drops what comes again within its window for duplicates.
     */
    public static Sink atLeastOnce(Options options) {
        return new JetStreamSink(options);
    }

    public static Sink atLeastOnce(String servers) {
        return atLeastOnce(Options.builder().server(servers).maxReconnects(-1).build());
    }
}

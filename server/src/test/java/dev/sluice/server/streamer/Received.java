package dev.sluice.server.streamer;

import dev.sluice.model.FencingToken;

/** One event as it came to a gateway of the chaos test, whatever the protocol. */
record Received(
        String subscriptionId,
        String eventId,
        String documentId,
        String document,
        int partition,
        FencingToken token,
        boolean redelivery) {}

package dev.sluice.deliver;

import dev.sluice.model.InvalidInputException;

/**
 * Where a gateway takes its events.
 *
 * @param endpoint as its protocol wants it: a URL for HTTP, {@code host:port} for gRPC, a server URL for NATS, bootstrap
 *     servers and a topic template for Kafka ({@code localhost:9092/changes.{tenant}.{collection}})
 */
public record GatewayAddress(String id, Protocol protocol, String endpoint) {
    private static final int LONGEST_ID = 512;
    private static final int LONGEST_ENDPOINT = 2048;

    public GatewayAddress {
        if (id.isEmpty() || id.length() > LONGEST_ID) {
            throw new InvalidInputException("a gateway's id has 1 to " + LONGEST_ID + " characters");
        }
        if (endpoint.isEmpty() || endpoint.length() > LONGEST_ENDPOINT) {
            throw new InvalidInputException("a gateway's endpoint has 1 to " + LONGEST_ENDPOINT + " characters");
        }
    }
}

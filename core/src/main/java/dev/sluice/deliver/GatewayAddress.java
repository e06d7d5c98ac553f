package dev.sluice.deliver;

import dev.sluice.model.InvalidInputException;
import dev.sluice.model.UnicodeText;

/**
 * Where a gateway takes its events.
 *
 * @param id without control characters, as the endpoint is
 * @param endpoint as its protocol wants it: a URL for HTTP, {@code host:port} for gRPC, a server URL for NATS, bootstrap
 *     servers and a topic template for Kafka ({@code localhost:9092/changes.{tenant}.{collection}}); never
 *     with a user or password
 * @param understandsExcept it tells a delete that stands for many to none of {@link Delivery#except}; one of 0.1 does not know
 *     of that
 */
public record GatewayAddress(String id, Protocol protocol, String endpoint, boolean understandsExcept) {
    private static final int LONGEST_ID = 512;
    private static final int LONGEST_ENDPOINT = 2048;

    public GatewayAddress {
        bound("id", id, LONGEST_ID);
        bound("endpoint", endpoint, LONGEST_ENDPOINT);
        require(
                endpoint.indexOf('@') < 0,
                "a gateway's endpoint has no @, and so no user or password, which would be stored and logged:"
                        + " give those to the Streamer");
    }

    /** Of a gateway that did not say what it understands. */
    public GatewayAddress(String id, Protocol protocol, String endpoint) {
        this(id, protocol, endpoint, false);
    }

    private static void bound(String what, String text, int max) {
        require(!text.isEmpty() && text.length() <= max, "a gateway's " + what + " has 1 to " + max + " characters");
        require(
                UnicodeText.isWhole(text) && UnicodeText.isWithoutControls(text),
                "a gateway's " + what + " has no control characters and no half of a surrogate pair");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new InvalidInputException(otherwise);
        }
    }
}

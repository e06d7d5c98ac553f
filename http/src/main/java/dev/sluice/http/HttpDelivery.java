package dev.sluice.http;

import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How gateways are reached over HTTP.
 *
 * @param node who sends: the header {@code X-Streamer-Node}
 * @param timeout from the first byte of an attempt to the last of its answer, the connection included
 * @param tls how to check gateways with {@code https}, and what to show them; null for the JDK's own trust
 * @param token sent as {@code authorization: Bearer …}, to every gateway alike and also in cleartext, so gateways on other
 *     machines want {@code https}; null for none
 */
public record HttpDelivery(
        String node,
        Duration timeout,
        @Nullable SSLContext tls,
        @Nullable String token) {
    private static final String HEADER_TEXT = "[\\x21-\\x7e]*";

    public HttpDelivery {
        if (timeout.isZero() || timeout.isNegative()) {
            throw new IllegalArgumentException("A delivery needs a timeout above zero.");
        }
        if (!node.matches(HEADER_TEXT) || (token != null && !token.matches(HEADER_TEXT))) {
            throw new IllegalArgumentException(
                    "A node's id and a token go into HTTP headers: printable ASCII without spaces.");
        }
    }

    /** Without a token, and with the JDK's own trust. */
    public static HttpDelivery of(String node, Duration timeout) {
        return new HttpDelivery(node, timeout, null, null);
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "HttpDelivery[" + node + ", " + timeout + ']';
    }
}

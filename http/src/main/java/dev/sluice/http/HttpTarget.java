package dev.sluice.http;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where one gateway takes batches, and what every request there says.
 *
 * @param headers of every request
 */
record HttpTarget(URI uri, Map<String, String> headers, HttpDelivery settings) {
    private static final String NODE = "X-Streamer-Node";

    /** @param gatewayHeader the header that names the gateway, so that another one at its address can tell */
    static HttpTarget of(URI uri, String gatewayHeader, String gateway, HttpDelivery settings) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(NODE, settings.node());
        headers.put(gatewayHeader, gateway);
        if (settings.token() != null) {
            headers.put("authorization", "Bearer " + settings.token());
        }
        return new HttpTarget(uri, headers, settings);
    }

    boolean isSecure() {
        return "https".equalsIgnoreCase(uri.getScheme());
    }

    /** Without the token. */
    @Override
    public String toString() {
        return uri.toString();
    }
}

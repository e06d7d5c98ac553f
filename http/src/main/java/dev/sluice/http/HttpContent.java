package dev.sluice.http;

import dev.sluice.deliver.DeliveryBody;
import java.util.List;
import java.util.Map;

/**
 * What one POST carries.
 *
 * @param pieces of the body, sent one after the other
 * @param length of all pieces, in bytes
 * @param headers of this request alone, beside those of its {@link HttpTarget}
 */
record HttpContent(List<byte[]> pieces, long length, String type, Map<String, String> headers) {
    private static final String JSON = "application/json";

    static HttpContent of(DeliveryBody body) {
        return new HttpContent(body.pieces(), body.length(), JSON, Map.of());
    }

    static HttpContent of(byte[] body, String type, Map<String, String> headers) {
        return new HttpContent(List.of(body), body.length, type, headers);
    }
}

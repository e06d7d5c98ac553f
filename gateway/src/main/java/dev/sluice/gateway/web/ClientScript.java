package dev.sluice.gateway.web;

import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * {@code GET /sluice.js}: the browser client, an ES module. Pages of any origin may load it, it holds no secret; which of
 * them may connect, {@link Origins} decides.
 */
final class ClientScript implements Handler {
    private final byte[] script;

    ClientScript() {
        try (InputStream resource = ClientScript.class.getResourceAsStream("sluice.js")) {
            if (resource == null) {
                throw new IllegalStateException("sluice.js is missing beside " + ClientScript.class.getName());
            }
            script = resource.readAllBytes();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    @Override
    public void handle(ServerRequest request, ServerResponse response) {
        response.header(HeaderNames.CONTENT_TYPE, "text/javascript; charset=utf-8")
                .header(HeaderNames.CACHE_CONTROL, "no-cache")
                .header(HeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN, "*")
                .header(HeaderNames.create("X-Content-Type-Options"), "nosniff")
                .send(script);
    }
}

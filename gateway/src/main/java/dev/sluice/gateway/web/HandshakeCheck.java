package dev.sluice.gateway.web;

import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;

/**
 * {@code GET /v1/subscribe} without an upgrade: answers whether a WebSocket with this origin and token would be let in.
 * Browsers show a script neither the status nor the body of a failed WebSocket handshake, so that it could not tell an
 * expired token from a network that is down. Pages of any origin may read the answer, which says nothing but that.
 */
record HandshakeCheck(Doorkeeper door) implements Handler {
    @Override
    public void handle(ServerRequest request, ServerResponse response) {
        try {
            door.admit(request.headers(), request.query());
            answer(response.header(HeaderNames.UPGRADE, "websocket"), Status.UPGRADE_REQUIRED_426, "open a WebSocket");
        } catch (RefusedException refused) {
            answer(response, refused.status(), refused.reason());
        }
    }

    private static void answer(ServerResponse response, Status status, String reason) {
        response.status(status)
                .header(HeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8")
                .header(HeaderNames.CACHE_CONTROL, "no-store")
                .header(HeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN, "*")
                .send(reason + '\n');
    }
}

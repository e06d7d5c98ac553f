package dev.sluice.gateway.web;

import dev.sluice.gateway.Gateway;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Subscription;
import io.helidon.common.parameters.Parameters;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Clock;

/** {@code GET /v1/events?tenant=&collection=&filter=}: server-sent events until the client goes. */
final class EventsRoute implements Handler {
    private static final HeaderName LAST_EVENT_ID = HeaderNames.create("Last-Event-ID");

    private final Gateway gateway;
    private final Doorkeeper door;
    private final Seats seats;
    private final WebLimits limits;
    private final Connections connections;
    private final Clock clock;

    EventsRoute(Gateway gateway, Doorkeeper door, Seats seats, WebLimits limits, Connections connections, Clock clock) {
        this.gateway = gateway;
        this.door = door;
        this.seats = seats;
        this.limits = limits;
        this.connections = connections;
        this.clock = clock;
    }

    @Override
    public void handle(ServerRequest request, ServerResponse response) throws InterruptedException {
        nameOrigin(request, response);
        try {
            Caller caller = door.admit(request.headers(), request.query());
            Wish wish = wish(request);
            Subscription subscription = wish.subscription(connections.newName(), gateway.id(), caller);
            try (Seats.Seat seat = seats.take(request.remotePeer().host())) {
                stream(subscription, wish.after(), caller, response);
            }
        } catch (RefusedException refused) {
            connections.counters().refused(refused);
            refuse(response, refused.status(), refused.reason());
        } catch (InvalidInputException refused) {
            connections.counters().refused(WebCounters.Refusal.INVALID);
            refuse(response, Status.BAD_REQUEST_400, String.valueOf(refused.getMessage()));
        } catch (IOException | UncheckedIOException gone) {
            // The other side has left, or was cut off.
        }
    }

    /** What a browser asks before it sends a token, or an id to go on from, for a page of another origin. */
    void allow(ServerRequest request, ServerResponse response) {
        nameOrigin(request, response);
        response.status(Status.NO_CONTENT_204)
                .header(HeaderNames.ACCESS_CONTROL_ALLOW_METHODS, "GET")
                .header(HeaderNames.ACCESS_CONTROL_ALLOW_HEADERS, "authorization, last-event-id")
                .header(HeaderNames.ACCESS_CONTROL_MAX_AGE, "600")
                .send();
    }

    private void nameOrigin(ServerRequest request, ServerResponse response) {
        door.origins()
                .toAllow(request.headers())
                .ifPresent(origin -> response.header(HeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN, origin)
                        .header(HeaderNames.VARY, "Origin"));
    }

    private static void refuse(ServerResponse response, Status status, String reason) {
        response.status(status)
                .header(HeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8")
                .send(reason + '\n');
    }

    private static Wish wish(ServerRequest request) {
        Parameters query = request.query();
        String resume = request.headers()
                .first(LAST_EVENT_ID)
                .orElseGet(() -> query.first("lastEventId").orElse(""));
        return new Wish(
                query.first("tenant").orElse(""),
                query.first("collection").orElse(""),
                query.first("filter").orElse(""),
                resume);
    }

    private void stream(Subscription subscription, String after, Caller caller, ServerResponse response)
            throws IOException, InterruptedException {
        Thread writer = Thread.currentThread();
        // It may be stuck in a write that the other side does not read; interrupting it closes the socket.
        ClientQueue queue = new ClientQueue(limits, connections.queued(), connections.counters(), writer::interrupt);
        SseStream stream = new SseStream(
                gateway, subscription, after, caller, queue, connections.counters(), limits.ping(), clock);
        try (Connections.Open open = connections.opened(stream::close)) {
            stream.run(() -> open(response));
        } finally {
            stream.close();
        }
    }

    private static OutputStream open(ServerResponse response) {
        return response.header(HeaderNames.CONTENT_TYPE, "text/event-stream")
                .header(HeaderNames.CACHE_CONTROL, "no-store")
                .header(HeaderNames.create("X-Accel-Buffering"), "no")
                .outputStream();
    }
}

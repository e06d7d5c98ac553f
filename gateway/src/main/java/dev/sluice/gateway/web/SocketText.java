package dev.sluice.gateway.web;

import dev.sluice.deliver.EventType;
import dev.sluice.deliver.JsonText;
import dev.sluice.gateway.ReceivedEvent;
import java.time.Duration;

/**
 * Messages to a WebSocket client, as JSON. Version 0 is what gateways said before there were versions, to the byte: its
 * clients know {@code event}, {@code error} and {@code resync} and nothing else. Version 1 adds {@code progress}, the resume
 * id, and messages of its own.
 */
enum SocketText {
    VERSION_0,
    VERSION_1;

    /** The newest version, which {@code hello} may ask for. */
    static final String NEWEST = "1";

    /** Shows an idle client that the connection lives. */
    static final String PING = "{\"ping\":true}";

    boolean resumes() {
        return this != VERSION_0;
    }

    static String hello(Duration ping) {
        return "{\"hello\":true,\"version\":" + NEWEST + ",\"pingMillis\":" + ping.toMillis() + '}';
    }

    ClientMessage event(SocketSubscription subscription, ReceivedEvent event) {
        return event.type() == EventType.RESYNC
                ? resync(subscription.clientId(), "changes are missing", event.resumeId())
                : new ClientMessage(
                        subscription.eventStart(), EncodedEvent.of(event), ClientMessage.utf8(end(event.resumeId())));
    }

    static byte[] eventStart(String id) {
        return ClientMessage.utf8(start(id) + ",\"event\":");
    }

    ClientMessage resync(String id, String reason, String progress) {
        String why = resumes() ? ",\"reason\":" + quoted(reason) : "";
        return ClientMessage.of(start(id) + ",\"resync\":true" + why + end(progress));
    }

    /** @param retry the same request may succeed later */
    ClientMessage error(String id, String reason, boolean retry) {
        String later = resumes() && retry ? ",\"retry\":true" : "";
        return ClientMessage.of(start(id) + ",\"error\":" + quoted(reason) + later + '}');
    }

    /** Every change from now on, or behind the resume id that the client sent, will be delivered. */
    ClientMessage subscribed(String id, String progress) {
        return ClientMessage.of(start(id) + ",\"subscribed\":true" + end(progress));
    }

    /** A newer resume id, and nothing else. */
    String progress(String id, String progress) {
        return start(id) + end(progress);
    }

    private static String start(String id) {
        return "{\"id\":" + quoted(id);
    }

    private String end(String progress) {
        return resumes() && !progress.isEmpty() ? ",\"progress\":" + quoted(progress) + '}' : "}";
    }

    private static String quoted(String text) {
        StringBuilder json = new StringBuilder();
        JsonText.quote(text, json);
        return json.toString();
    }
}

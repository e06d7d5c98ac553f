package dev.sluice.gateway.web;

import dev.sluice.deliver.EventType;
import dev.sluice.deliver.JsonText;
import dev.sluice.gateway.ReceivedEvent;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Server-sent events as text. Changes are plain messages, what they lack in lines is in their JSON; {@code resync} is an
 * event of that name. The id is the marker to go on from.
 */
final class SseText {
    private static final int RETRY_MILLIS = 500;
    private static final int MOST_RETRY_MILLIS = 3_000;

    static final String PING = ":\n\n";

    private SseText() {}

    /** Browsers come again so long after a lost connection: not all of a gateway that restarts at the same moment. */
    static String start() {
        return "retry: " + ThreadLocalRandom.current().nextInt(RETRY_MILLIS, MOST_RETRY_MILLIS) + "\n\n";
    }

    static ClientMessage of(ReceivedEvent event) {
        return event.type() == EventType.RESYNC
                ? ClientMessage.of(resync("changes are missing", event.resumeId()))
                : ClientMessage.around(idLine(event.resumeId()) + "data: ", EncodedEvent.of(event), "\n\n");
    }

    static String resync(String reason, String marker) {
        StringBuilder text = new StringBuilder(idLine(marker)).append("event: resync\ndata: {\"reason\":");
        JsonText.quote(reason, text);
        return text.append("}\n\n").toString();
    }

    /** The stream ends for good. */
    static String refused(String reason) {
        StringBuilder text = new StringBuilder("event: refused\ndata: {\"reason\":");
        JsonText.quote(reason, text);
        return text.append("}\n\n").toString();
    }

    /** Tells where to go on, and nothing else: browsers remember it and show nobody. */
    static String id(String marker) {
        return marker.isEmpty() ? "" : idLine(marker) + '\n';
    }

    private static String idLine(String marker) {
        return marker.isEmpty() ? "" : "id: " + marker + '\n';
    }
}

package dev.sluice.gateway.web;

import dev.sluice.gateway.ReceivedEvent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A change as end users get it: JSON in one line, in UTF-8. Clients that wait for the same change share one of these. */
final class EncodedEvent {
    private final String key;
    private final byte[] json;

    /** How many messages that wait contain it; guarded by the lock of {@link QueueMemory}. */
    int holders;

    EncodedEvent(String key, byte[] json) {
        this.key = key;
        this.json = json;
    }

    /** Returns the encoded form of a change, which is made once for all subscriptions of a batch. */
    static EncodedEvent of(ReceivedEvent event) {
        return event.derived(EncodedEvent.class, EncodedEvent::encode);
    }

    private static EncodedEvent encode(ReceivedEvent event) {
        String json = event.json();
        // The documents come from elsewhere: no line break of theirs may end the line of a server-sent event.
        String line = json.indexOf('\n') < 0 && json.indexOf('\r') < 0 ? json : json.replaceAll("[\r\n]+", " ");
        return new EncodedEvent(event.eventId() + '/' + event.type().text(), line.getBytes(StandardCharsets.UTF_8));
    }

    String key() {
        return key;
    }

    byte[] json() {
        return json;
    }

    /** The same change may have been looked up at another time: then the documents differ. */
    boolean hasContentOf(EncodedEvent other) {
        return Arrays.equals(json, other.json);
    }
}

package dev.sluice.deliver;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.RawBson;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An event on its way out, shared by all its matches: however many gateways and subscriptions get it, its documents are
 * turned into text once, and so is the whole for each type it is told as.
 */
public final class OutgoingEvent {
    private static final byte[] NONE = {};

    private final ChangeEvent event;
    private final Map<EventType, byte[]> json = new EnumMap<>(EventType.class);
    private byte @Nullable [] document;
    private byte @Nullable [] updateDescription;

    public OutgoingEvent(ChangeEvent event) {
        this.event = event;
    }

    public ChangeEvent event() {
        return event;
    }

    /** The document as relaxed extended JSON in UTF-8; empty when there is none. Not to be changed. */
    public synchronized byte[] document() {
        if (document == null) {
            document = text(event.document());
        }
        return document;
    }

    /** What an update changed, as {@link #document} is. */
    public synchronized byte[] updateDescription() {
        if (updateDescription == null) {
            updateDescription = text(event.updateDescription());
        }
        return updateDescription;
    }

    /** The object {@code event} of a delivery over HTTP, NATS and Kafka, in UTF-8. Not to be changed. */
    public synchronized byte[] json(EventType type) {
        return json.computeIfAbsent(type, as -> EventJson.of(event, as, document(), updateDescription()));
    }

    /**
     * As {@link #json}, except that a document that cannot be written as JSON stands there as its BSON bytes, as {@code
     * {"$binary":…}}. For what must be kept whatever it holds.
     */
    public byte[] jsonOrBytes(EventType type) {
        return EventJson.of(event, type, textOrBytes(event.document()), textOrBytes(event.updateDescription()));
    }

    private static byte[] textOrBytes(@Nullable RawBson bson) {
        try {
            return text(bson);
        } catch (RuntimeException unwritable) {
            String base64 = Base64.getEncoder().encodeToString(bson == null ? NONE : bson.toBytes());
            return ("{\"$binary\":{\"base64\":\"" + base64 + "\",\"subType\":\"00\"}}")
                    .getBytes(StandardCharsets.US_ASCII);
        }
    }

    private static byte[] text(@Nullable RawBson bson) {
        return bson == null ? NONE : bson.toJsonBytes();
    }
}

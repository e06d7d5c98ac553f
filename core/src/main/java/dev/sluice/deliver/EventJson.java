package dev.sluice.deliver;

import dev.sluice.json.JsonBuffer;
import dev.sluice.model.ChangeEvent;

/** Writes the JSON object gateways know an event by. */
final class EventJson {
    /** Room for all members but the documents, unless names and ids are unusually long. */
    private static final int BYTES_AROUND_DOCUMENTS = 320;

    private EventJson() {}

    static byte[] of(ChangeEvent event, EventType type, byte[] document, byte[] updateDescription) {
        JsonBuffer json = new JsonBuffer(BYTES_AROUND_DOCUMENTS + document.length + updateDescription.length);
        json.ascii("{\"id\":").quote(event.id().toString());
        json.ascii(",\"type\":").quote(type.text());
        json.ascii(",\"tenant\":").quote(event.tenant());
        json.ascii(",\"collection\":").quote(event.collection());
        json.ascii(",\"documentId\":").quote(event.documentId().text());
        addOrNull(document, json.ascii(",\"document\":"));
        addOrNull(updateDescription, json.ascii(",\"updateDescription\":"));
        json.ascii(",\"timestamp\":").number(event.timestamp());
        json.ascii(",\"lookup\":").bool(event.lookup());
        return json.ascii("}").toByteArray();
    }

    private static void addOrNull(byte[] text, JsonBuffer json) {
        if (text.length == 0) {
            json.ascii("null");
        } else {
            json.raw(text);
        }
    }
}

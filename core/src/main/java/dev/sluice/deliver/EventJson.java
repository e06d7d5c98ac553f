package dev.sluice.deliver;

import dev.sluice.model.ChangeEvent;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes the JSON object gateways know an event by. */
final class EventJson {
    private static final int AROUND = 320;

    private EventJson() {}

    static byte[] of(ChangeEvent event, EventType type, byte[] document, byte[] updateDescription) {
        StringBuilder head = new StringBuilder(AROUND);
        head.append("{\"id\":");
        JsonText.quote(event.id().toString(), head);
        head.append(",\"type\":");
        JsonText.quote(type.text(), head);
        head.append(",\"tenant\":");
        JsonText.quote(event.tenant(), head);
        head.append(",\"collection\":");
        JsonText.quote(event.collection(), head);
        head.append(",\"documentId\":");
        JsonText.quote(event.documentId().text(), head);
        ByteArrayOutputStream json =
                new ByteArrayOutputStream(head.length() + document.length + updateDescription.length + AROUND);
        json.writeBytes(utf8(head));
        json.writeBytes(utf8(",\"document\":"));
        writeOrNull(json, document);
        json.writeBytes(utf8(",\"updateDescription\":"));
        writeOrNull(json, updateDescription);
        json.writeBytes(utf8(",\"timestamp\":" + event.timestamp() + ",\"lookup\":" + event.lookup() + '}'));
        return json.toByteArray();
    }

    private static void writeOrNull(ByteArrayOutputStream json, byte[] text) {
        json.writeBytes(text.length == 0 ? utf8("null") : text);
    }

    private static byte[] utf8(CharSequence text) {
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }
}

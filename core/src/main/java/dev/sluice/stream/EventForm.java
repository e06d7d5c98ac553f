package dev.sluice.stream;

import dev.sluice.log.EventRecord;
import dev.sluice.log.Wire;
import dev.sluice.log.WireReader;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes the body of an event anew where a consumer gets something else than what is stored. */
final class EventForm {
    private static final int OPERATION = 5;
    private static final int DOCUMENT = 6;
    private static final int UPDATE = 7;
    private static final int BEFORE = 15;
    private static final byte[] REPLACE = Operation.REPLACE.text().getBytes(StandardCharsets.US_ASCII);

    private final EventRecord event;
    private final ByteArrayOutputStream body;
    private final byte[] head = new byte[16];

    private EventForm(EventRecord event) {
        this.event = event;
        this.body = new ByteArrayOutputStream(event.bodyLength() + event.bodyLength() / 2);
    }

    /**
     * The body as {@link EventRecord} has it, except for this.
     *
     * @param json documents as relaxed extended JSON
     * @param lastState the document alone, as a replace
     */
    static byte[] of(EventRecord event, boolean json, boolean lastState) {
        EventForm form = new EventForm(event);
        WireReader field = new WireReader(event.array(), event.bodyOffset(), event.bodyOffset() + event.bodyLength());
        while (field.next()) {
            form.add(field, json, lastState);
        }
        return form.body.toByteArray();
    }

    private void add(WireReader field, boolean json, boolean lastState) {
        if (!field.isBytes()) {
            body.write(head, 0, Wire.putVarintField(head, 0, field.field(), field.number()));
        } else if (lastState && field.field() == OPERATION) {
            add(OPERATION, REPLACE, 0, REPLACE.length);
        } else if (lastState && field.field() == UPDATE) {
            return;
        } else if (json && isBson(field.field())) {
            byte[] text = new RawBson(event.array(), field.offset(), field.length()).toJsonBytes();
            add(field.field(), text, 0, text.length);
        } else {
            add(field.field(), event.array(), field.offset(), field.length());
        }
    }

    private static boolean isBson(int number) {
        return number == DOCUMENT || number == UPDATE || number == BEFORE;
    }

    private void add(int number, byte[] from, int offset, int length) {
        body.write(head, 0, Wire.putBytesHead(head, 0, number, length));
        body.write(from, offset, length);
    }
}

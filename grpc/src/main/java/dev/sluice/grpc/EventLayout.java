package dev.sluice.grpc;

import dev.sluice.log.EventRecord;
import dev.sluice.log.EventRecordEncoder;
import dev.sluice.log.Wire;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.stream.DocumentEncoding;
import dev.sluice.stream.EventForms;
import dev.sluice.stream.EventSink;
import dev.sluice.stream.MarkerText;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Lays out events as {@code sluice.puller.v1} has them, in one array that is used again for every batch: the stored body
 * as it is, then the fields that differ from consumer to consumer. One per sending thread.
 */
final class EventLayout implements EventSink {
    private static final int BATCH_EVENTS = 1;
    private static final int BATCH_PROGRESS = 2;
    private static final int PROGRESS = 10;
    private static final int BACKEND = 11;
    private static final int PARTITION = 13;
    private static final int KIND_TAG = 16 << 3;
    private static final int KIND_BYTES = 3;
    private static final int KEPT_BYTES = 2 << 20;
    private static final int FIRST_BYTES = 64 << 10;

    private final EventForms forms;
    private final EventRecordEncoder heartbeats = new EventRecordEncoder();
    private DocumentEncoding encoding = DocumentEncoding.BSON;
    private boolean batched;
    private byte[] bytes = new byte[FIRST_BYTES];
    private int end;
    private int[] ends = new int[64];
    private int events;
    private String backend = "";
    private byte[] backendText = {};

    EventLayout(EventForms forms) {
        this.forms = forms;
    }

    /** @param batched all events become one message, else each is its own */
    void begin(DocumentEncoding encoding, boolean batched) {
        this.encoding = encoding;
        this.batched = batched;
        end = 0;
        events = 0;
        if (bytes.length > KEPT_BYTES) {
            bytes = new byte[FIRST_BYTES];
        }
    }

    @Override
    public void event(String backend, EventRecord event, boolean lastState, int partition, MarkerText marker) {
        int kind = Math.max(0, event.documentIdKind().ordinal() - DocumentId.Kind.STRING.ordinal());
        if (encoding == DocumentEncoding.BSON && !lastState) {
            add(backend, event.array(), event.bodyOffset(), event.bodyLength(), partition, kind, marker);
        } else {
            byte[] body = forms.body(backend, event, encoding, lastState);
            add(backend, body, 0, body.length, partition, kind, marker);
        }
    }

    @Override
    public void heartbeat(String backend, ClusterTime time, MarkerText marker) {
        EventRecord event = heartbeats
                .id(new EventId(time, 0))
                .operation(Operation.HEARTBEAT)
                .timestamp(time.toEpochMillis())
                .encode();
        add(backend, event.array(), event.bodyOffset(), event.bodyLength(), 0, 0, marker);
    }

    private void add(String backend, byte[] body, int offset, int length, int partition, int kind, MarkerText marker) {
        byte[] name = textOf(backend);
        int size = length + Wire.bytesFieldSize(marker.length()) + Wire.bytesFieldSize(name.length);
        size += partition == 0 ? 0 : 1 + Wire.varintSize(partition);
        size += kind == 0 ? 0 : KIND_BYTES;
        ensure(size + 6);
        int at = batched ? Wire.putBytesHead(bytes, end, BATCH_EVENTS, size) : end;
        System.arraycopy(body, offset, bytes, at, length);
        at = Wire.putBytesHead(bytes, at + length, PROGRESS, marker.length());
        at = marker.copyTo(bytes, at);
        at = Wire.putBytesHead(bytes, at, BACKEND, name.length);
        System.arraycopy(name, 0, bytes, at, name.length);
        at += name.length;
        at = partition == 0 ? at : Wire.putVarintField(bytes, at, PARTITION, partition);
        end = kind == 0 ? at : Wire.putVarint(bytes, Wire.putVarint(bytes, at, KIND_TAG), kind);
        remember(end);
    }

    private byte[] textOf(String name) {
        if (!backend.equals(name)) {
            backend = name;
            backendText = name.getBytes(StandardCharsets.UTF_8);
        }
        return backendText;
    }

    private void remember(int place) {
        if (events == ends.length) {
            ends = Arrays.copyOf(ends, events * 2);
        }
        ends[events++] = place;
    }

    private void ensure(int more) {
        if (end + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(end + more, bytes.length * 2));
        }
    }

    int events() {
        return events;
    }

    @Override
    public long bytes() {
        return end;
    }

    /** Hands out the messages; in a batch the marker after it comes last. */
    void send(MarkerText marker, Consumer<EncodedMessage> call) {
        if (batched) {
            ensure(marker.length() + 6);
            int at = Wire.putBytesHead(bytes, end, BATCH_PROGRESS, marker.length());
            end = marker.copyTo(bytes, at);
            call.accept(new EncodedMessage(bytes, 0, end));
            return;
        }
        int from = 0;
        for (int k = 0; k < events; k++) {
            call.accept(new EncodedMessage(bytes, from, ends[k] - from));
            from = ends[k];
        }
    }
}

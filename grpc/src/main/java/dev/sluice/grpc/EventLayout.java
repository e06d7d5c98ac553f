package dev.sluice.grpc;

import dev.sluice.log.EventRecord;
import dev.sluice.log.EventRecordEncoder;
import dev.sluice.log.Wire;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.Position;
import dev.sluice.stream.DocumentEncoding;
import dev.sluice.stream.EventForms;
import dev.sluice.stream.EventSink;
import dev.sluice.stream.LogProgress;
import dev.sluice.stream.MarkerText;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lays out events as {@code sluice.puller.v1} has them, in one array that is used again for every batch: the stored body
 * as it is, then the fields that differ from consumer to consumer. One per sending thread.
 */
final class EventLayout implements EventSink {
    private static final int BATCH_EVENTS = 1;
    private static final int BATCH_PROGRESS = 2;
    private static final int BATCH_IDENTITY = 3;
    private static final int BATCH_PASSED = 4;
    private static final int BATCH_HEAD = 6;
    private static final int PROGRESS = 10;
    private static final int BACKEND = 11;
    private static final int PARTITION = 13;
    private static final int KIND_TAG = 16 << 3;
    private static final int KIND_BYTES = 3;
    private static final int ORDINAL_TAG = 17 << 3;
    /** Identity, two event ids and their ordinals, with their tags. */
    private static final int LOG_PROGRESS_BYTES = 128;

    private static final int KEPT_BYTES = 2 << 20;
    private static final int FIRST_BYTES = 64 << 10;

    private final EventForms forms;
    private final EventRecordEncoder heartbeats = new EventRecordEncoder();
    private DocumentEncoding encoding = DocumentEncoding.BSON;
    private boolean batched;
    private boolean ordinals;
    private byte[] bytes = new byte[FIRST_BYTES];
    private int end;
    private int[] ends = new int[64];
    private int events;
    private String backend = "";
    private byte[] backendText = {};

    EventLayout(EventForms forms) {
        this.forms = forms;
    }

    /**
     * @param batched all events become one message, else each is its own
     * @param ordinals events carry their place within their cluster time
     */
    void begin(DocumentEncoding encoding, boolean batched, boolean ordinals) {
        this.encoding = encoding;
        this.batched = batched;
        this.ordinals = ordinals;
        end = 0;
        events = 0;
        if (bytes.length > KEPT_BYTES) {
            bytes = new byte[FIRST_BYTES];
        }
    }

    @Override
    public void event(
            String backend, EventRecord event, int ordinal, boolean lastState, int partition, MarkerText marker) {
        int kind = Math.max(0, event.documentIdKind().ordinal() - DocumentId.Kind.STRING.ordinal());
        if (encoding == DocumentEncoding.BSON && !lastState) {
            add(backend, event.array(), event.bodyOffset(), event.bodyLength(), partition, kind, ordinal, marker);
        } else {
            byte[] body = forms.body(backend, event, encoding, lastState);
            add(backend, body, 0, body.length, partition, kind, ordinal, marker);
        }
    }

    @Override
    public void heartbeat(String backend, ClusterTime time, MarkerText marker) {
        EventRecord event = heartbeats
                .id(new EventId(time, 0))
                .operation(Operation.HEARTBEAT)
                .timestamp(time.toEpochMillis())
                .encode();
        add(backend, event.array(), event.bodyOffset(), event.bodyLength(), 0, 0, 0, marker);
    }

    private void add(
            String backend,
            byte[] body,
            int offset,
            int length,
            int partition,
            int kind,
            int ordinal,
            MarkerText marker) {
        byte[] name = textOf(backend);
        int place = ordinals ? ordinal : 0;
        int size = length + Wire.bytesFieldSize(marker.length()) + Wire.bytesFieldSize(name.length);
        size += partition == 0 ? 0 : 1 + Wire.varintSize(partition);
        size += kind == 0 ? 0 : KIND_BYTES;
        size += place == 0 ? 0 : 2 + Wire.varintSize(place);
        ensure(size + 6);
        int at = batched ? Wire.putBytesHead(bytes, end, BATCH_EVENTS, size) : end;
        System.arraycopy(body, offset, bytes, at, length);
        at = Wire.putBytesHead(bytes, at + length, PROGRESS, marker.length());
        at = marker.copyTo(bytes, at);
        at = Wire.putBytesHead(bytes, at, BACKEND, name.length);
        System.arraycopy(name, 0, bytes, at, name.length);
        at += name.length;
        at = partition == 0 ? at : Wire.putVarintField(bytes, at, PARTITION, partition);
        at = kind == 0 ? at : Wire.putVarint(bytes, Wire.putVarint(bytes, at, KIND_TAG), kind);
        end = place == 0 ? at : Wire.putVarint(bytes, Wire.putVarint(bytes, at, ORDINAL_TAG), place);
        remember(end);
    }

    /** The id in this field, the ordinal in the next. */
    private int put(Position position, int field, int at) {
        byte[] id = position.id().toString().getBytes(StandardCharsets.US_ASCII);
        int after = Wire.putBytesHead(bytes, at, field, id.length);
        System.arraycopy(id, 0, bytes, after, id.length);
        return Wire.putVarintField(bytes, after + id.length, field + 1, position.ordinal());
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

    /**
     * Hands out the messages; in a batch the marker after it comes last.
     *
     * @param progress of a stream of one log, else null
     */
    void send(MarkerText marker, @Nullable LogProgress progress, Consumer<EncodedMessage> call) {
        if (batched) {
            ensure(marker.length() + 6 + LOG_PROGRESS_BYTES);
            int at = Wire.putBytesHead(bytes, end, BATCH_PROGRESS, marker.length());
            end = marker.copyTo(bytes, at);
            if (progress != null) {
                end = Wire.putVarintField(bytes, end, BATCH_IDENTITY, progress.identity());
                end = put(progress.passed(), BATCH_PASSED, end);
                end = put(progress.head(), BATCH_HEAD, end);
            }
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

package dev.sluice.log;

import dev.sluice.model.DocumentId;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Operation;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Says of any bytes whether they are a record, so that what reads them later need not be careful. */
final class EventRecordCheck {
    private static final int SMALLEST_DOCUMENT = 5;
    private static final byte[][] OPERATIONS = Arrays.stream(Operation.values())
            .map(operation -> operation.text().getBytes(StandardCharsets.US_ASCII))
            .toArray(byte[][]::new);

    private final byte[] bytes;
    private final WireReader reader;
    private int seen;

    private EventRecordCheck(byte[] bytes) {
        this.bytes = bytes;
        this.reader = new WireReader(bytes, EventRecord.HEADER, bytes.length);
    }

    static void check(byte[] bytes) {
        header(bytes);
        new EventRecordCheck(bytes).body();
    }

    static void header(byte[] bytes) {
        if (bytes.length < EventRecord.HEADER) {
            throw WireReader.bad("only " + bytes.length + " bytes");
        }
        if (bytes[0] != EventRecord.FORMAT) {
            throw new InvalidInputException("an event record is of format " + bytes[0] + "; this version knows "
                    + EventRecord.FORMAT + " only");
        }
        Operation.ofCode(bytes[1]);
    }

    private void body() {
        int last = 0;
        while (reader.next()) {
            if (reader.field() <= last) {
                throw WireReader.bad("its fields in the wrong order");
            }
            last = reader.field();
            seen |= 1 << last;
            require(isGood(last), last);
        }
        require(has(EventRecord.ID), EventRecord.ID);
        require(has(EventRecord.OPERATION), EventRecord.OPERATION);
        require(has(EventRecord.CLUSTER_TIME), EventRecord.CLUSTER_TIME);
        header();
    }

    private boolean isGood(int field) {
        return switch (field) {
            case EventRecord.ID -> reader.isBytes() && IdText.isAt(bytes, reader.offset(), reader.length());
            case EventRecord.TENANT, EventRecord.COLLECTION, EventRecord.DOCUMENT_ID ->
                reader.isBytes() && reader.length() > 0 && Bytes.isUtf8(bytes, reader.offset(), reader.length());
            case EventRecord.OPERATION -> reader.isBytes() && isText(OPERATIONS[bytes[1]]);
            case EventRecord.DOCUMENT, EventRecord.UPDATE, EventRecord.BEFORE -> reader.isBytes() && isDocument();
            case EventRecord.CLUSTER_TIME -> reader.isBytes() && isClusterTime();
            case EventRecord.TIMESTAMP, EventRecord.TXN_NUMBER -> !reader.isBytes();
            case EventRecord.LOOKUP -> !reader.isBytes() && reader.number() == 1;
            default -> false;
        };
    }

    private boolean isText(byte[] text) {
        int from = reader.offset();
        return Arrays.equals(bytes, from, from + reader.length(), text, 0, text.length);
    }

    private boolean isDocument() {
        return reader.length() >= SMALLEST_DOCUMENT && Bytes.getLittleInt(bytes, reader.offset()) == reader.length();
    }

    private boolean isClusterTime() {
        WireReader parts = new WireReader(bytes, reader.offset(), reader.offset() + reader.length());
        long time = 0;
        while (parts.next()) {
            if (parts.isBytes() || parts.field() > 2 || parts.number() >>> 32 != 0) {
                return false;
            }
            time |= parts.field() == 1 ? parts.number() << 32 : parts.number();
        }
        return time == Bytes.getLong(bytes, 12);
    }

    private void header() {
        int kind = bytes[2];
        boolean data = Operation.ofCode(bytes[1]).isData();
        int flags = (has(EventRecord.LOOKUP) ? EventRecord.FLAG_LOOKUP : 0)
                | (has(EventRecord.TXN_NUMBER) ? EventRecord.FLAG_TXN : 0);
        boolean named = kind > DocumentId.Kind.NONE.ordinal() && kind <= DocumentId.Kind.OTHER.ordinal();
        boolean nameless = kind == DocumentId.Kind.NONE.ordinal() && !has(EventRecord.DOCUMENT_ID);
        if (flags != bytes[3] || !(named || nameless) || (data && !(named && has(EventRecord.COLLECTION)))) {
            throw WireReader.bad("a header that does not fit its body");
        }
    }

    private boolean has(int field) {
        return (seen & 1 << field) != 0;
    }

    private static void require(boolean good, int field) {
        if (!good) {
            throw WireReader.bad("a bad field " + field + ", or none");
        }
    }
}

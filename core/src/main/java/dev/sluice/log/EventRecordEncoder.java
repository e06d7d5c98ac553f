package dev.sluice.log;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import java.nio.charset.StandardCharsets;

/**
 * Puts an {@link EventRecord} together from slices of whatever capture has at hand, and copies each once. Reusable: every
 * {@link #encode} starts afresh. For one thread.
 *
 * <p>Slices of text are expected to be UTF-8, as BSON wants it; what is not is replaced by U+FFFD, since one bad string
 * must neither stop the stream nor break the consumers' decoders.
 */
public final class EventRecordEncoder {
    private static final byte[] NOTHING = {};
    private static final int OBJECT_ID_BYTES = 12;

    private final Slice tenant = new Slice();
    private final Slice collection = new Slice();
    private final Slice documentId = new Slice();
    private final Slice document = new Slice();
    private final Slice update = new Slice();
    private final Slice before = new Slice();
    private long time;
    private long hash;
    private Operation operation = Operation.INSERT;
    private DocumentId.Kind kind = DocumentId.Kind.NONE;
    private long timestamp;
    private long txnNumber;
    private int flags;

    public EventRecordEncoder id(EventId id) {
        return id(id.time(), id.hash());
    }

    public EventRecordEncoder id(ClusterTime time, long hash) {
        this.time = time.value();
        this.hash = hash;
        return this;
    }

    public EventRecordEncoder operation(Operation operation) {
        this.operation = operation;
        return this;
    }

    public EventRecordEncoder tenant(String text) {
        tenant.set(text);
        return this;
    }

    public EventRecordEncoder tenant(byte[] array, int offset, int length) {
        tenant.setText(array, offset, length);
        return this;
    }

    public EventRecordEncoder collection(String text) {
        collection.set(text);
        return this;
    }

    public EventRecordEncoder collection(byte[] array, int offset, int length) {
        collection.setText(array, offset, length);
        return this;
    }

    public EventRecordEncoder documentId(DocumentId id) {
        kind = id.kind();
        documentId.set(id.text());
        return this;
    }

    /** An {@code _id} that is a string: its bytes without BSON's length and closing zero. */
    public EventRecordEncoder stringId(byte[] array, int offset, int length) {
        kind = DocumentId.Kind.STRING;
        documentId.setText(array, offset, length);
        return this;
    }

    /** An {@code _id} that is an ObjectId: its twelve bytes, stored as their hex digits. */
    public EventRecordEncoder objectId(byte[] array, int offset) {
        kind = DocumentId.Kind.OBJECT_ID;
        byte[] digits = new byte[2 * OBJECT_ID_BYTES];
        for (int k = 0; k < OBJECT_ID_BYTES; k++) {
            int octet = array[offset + k];
            digits[2 * k] = IdText.hexDigit(octet >> 4);
            digits[2 * k + 1] = IdText.hexDigit(octet);
        }
        documentId.set(digits, 0, digits.length);
        return this;
    }

    public EventRecordEncoder document(RawBson bson) {
        return document(bson.array(), bson.offset(), bson.length());
    }

    public EventRecordEncoder document(byte[] array, int offset, int length) {
        document.set(array, offset, length);
        return this;
    }

    public EventRecordEncoder updateDescription(RawBson bson) {
        return updateDescription(bson.array(), bson.offset(), bson.length());
    }

    public EventRecordEncoder updateDescription(byte[] array, int offset, int length) {
        update.set(array, offset, length);
        return this;
    }

    /** The document's state before the change. */
    public EventRecordEncoder before(RawBson bson) {
        return before(bson.array(), bson.offset(), bson.length());
    }

    public EventRecordEncoder before(byte[] array, int offset, int length) {
        before.set(array, offset, length);
        return this;
    }

    /** Milliseconds since 1970 by the source's clock. */
    public EventRecordEncoder timestamp(long millis) {
        this.timestamp = millis;
        return this;
    }

    public EventRecordEncoder txnNumber(long number) {
        this.txnNumber = number;
        flags |= EventRecord.FLAG_TXN;
        return this;
    }

    public EventRecordEncoder lookup(boolean lookup) {
        flags = lookup ? flags | EventRecord.FLAG_LOOKUP : flags & ~EventRecord.FLAG_LOOKUP;
        return this;
    }

    /** All fields of an event that is decoded already. */
    public EventRecordEncoder event(ChangeEvent event) {
        id(event.id()).operation(event.operation()).tenant(event.tenant()).collection(event.collection());
        documentId(event.documentId()).timestamp(event.timestamp()).lookup(event.lookup());
        event.txnNumber().ifPresent(this::txnNumber);
        RawBson whole = event.document();
        if (whole != null) {
            document(whole);
        }
        RawBson changed = event.updateDescription();
        if (changed != null) {
            updateDescription(changed);
        }
        return this;
    }

    /**
     * The record; this encoder is empty again then.
     *
     * @throws InvalidInputException a data event without collection or document id, or a document that is not BSON
     */
    public EventRecord encode() {
        try {
            requireWhole();
            byte[] bytes = new byte[EventRecord.HEADER + bodySize()];
            putHeader(bytes);
            putBody(bytes, EventRecord.HEADER);
            return new EventRecord(bytes);
        } finally {
            clear();
        }
    }

    private void requireWhole() {
        if (operation.isData() && (collection.length == 0 || kind == DocumentId.Kind.NONE)) {
            throw new InvalidInputException(
                    "a change event of operation " + operation.text() + " names a collection and a document");
        }
        if (kind == DocumentId.Kind.NONE && documentId.length > 0) {
            throw new InvalidInputException("a document id needs a kind");
        }
        document.requireBson("document");
        update.requireBson("update description");
        before.requireBson("document before the change");
    }

    private int bodySize() {
        int size = Wire.bytesFieldSize(IdText.length(time));
        size += Wire.bytesFieldSize(tenant.length);
        size += Wire.bytesFieldSize(collection.length);
        size += Wire.bytesFieldSize(documentId.length);
        size += Wire.bytesFieldSize(operation.text().length());
        size += Wire.bytesFieldSize(document.length);
        size += Wire.bytesFieldSize(update.length);
        size += 2 + clusterTimeSize();
        size += timestamp == 0 ? 0 : 1 + Wire.varintSize(timestamp);
        size += (flags & EventRecord.FLAG_TXN) == 0 ? 0 : 1 + Wire.varintSize(txnNumber);
        size += (flags & EventRecord.FLAG_LOOKUP) == 0 ? 0 : 2;
        return size + Wire.bytesFieldSize(before.length);
    }

    private int clusterTimeSize() {
        long t = time >>> 32;
        long i = time & 0xFFFF_FFFFL;
        return (t == 0 ? 0 : 1 + Wire.varintSize(t)) + (i == 0 ? 0 : 1 + Wire.varintSize(i));
    }

    private void putHeader(byte[] to) {
        to[0] = EventRecord.FORMAT;
        to[1] = (byte) operation.code();
        to[2] = (byte) kind.ordinal();
        to[3] = (byte) flags;
        Bytes.putLong(to, 4, hash);
        Bytes.putLong(to, 12, time);
    }

    private void putBody(byte[] to, int at) {
        at = Wire.putBytesHead(to, at, EventRecord.ID, IdText.length(time));
        at = IdText.put(to, at, time, hash);
        at = tenant.put(to, at, EventRecord.TENANT);
        at = collection.put(to, at, EventRecord.COLLECTION);
        at = documentId.put(to, at, EventRecord.DOCUMENT_ID);
        at = putOperation(to, at);
        at = document.put(to, at, EventRecord.DOCUMENT);
        at = update.put(to, at, EventRecord.UPDATE);
        at = putClusterTime(to, at);
        if (timestamp != 0) {
            at = Wire.putVarintField(to, at, EventRecord.TIMESTAMP, timestamp);
        }
        if ((flags & EventRecord.FLAG_TXN) != 0) {
            at = Wire.putVarintField(to, at, EventRecord.TXN_NUMBER, txnNumber);
        }
        if ((flags & EventRecord.FLAG_LOOKUP) != 0) {
            at = Wire.putVarintField(to, at, EventRecord.LOOKUP, 1);
        }
        before.put(to, at, EventRecord.BEFORE);
    }

    private int putOperation(byte[] to, int at) {
        String text = operation.text();
        at = Wire.putBytesHead(to, at, EventRecord.OPERATION, text.length());
        for (int k = 0; k < text.length(); k++) {
            to[at++] = (byte) text.charAt(k);
        }
        return at;
    }

    private int putClusterTime(byte[] to, int at) {
        at = Wire.putBytesHead(to, at, EventRecord.CLUSTER_TIME, clusterTimeSize());
        if (time >>> 32 != 0) {
            at = Wire.putVarintField(to, at, 1, time >>> 32);
        }
        if ((time & 0xFFFF_FFFFL) != 0) {
            at = Wire.putVarintField(to, at, 2, time & 0xFFFF_FFFFL);
        }
        return at;
    }

    private void clear() {
        tenant.clear();
        collection.clear();
        documentId.clear();
        document.clear();
        update.clear();
        before.clear();
        kind = DocumentId.Kind.NONE;
        timestamp = 0;
        txnNumber = 0;
        flags = 0;
    }

    /** Bytes somebody else holds, until they are copied. */
    private static final class Slice {
        private byte[] array = NOTHING;
        private int offset;
        private int length;

        void set(byte[] array, int offset, int length) {
            this.array = array;
            this.offset = offset;
            this.length = length;
        }

        void set(String text) {
            byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
            set(encoded, 0, encoded.length);
        }

        void setText(byte[] array, int offset, int length) {
            if (Bytes.isUtf8(array, offset, length)) {
                set(array, offset, length);
            } else {
                set(new String(array, offset, length, StandardCharsets.UTF_8));
            }
        }

        void clear() {
            set(NOTHING, 0, 0);
        }

        void requireBson(String what) {
            if (length > 0 && (length < 5 || Bytes.getLittleInt(array, offset) != length)) {
                throw new InvalidInputException("a " + what + " of " + length + " bytes is not one BSON document");
            }
        }

        int put(byte[] to, int at, int field) {
            if (length == 0) {
                return at;
            }
            at = Wire.putBytesHead(to, at, field, length);
            System.arraycopy(array, offset, to, at, length);
            return at + length;
        }
    }
}

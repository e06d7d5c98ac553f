package dev.sluice.log;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Fnv1a64;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The stored and shipped form of one event: a small header for the log, then the body, which is byte for byte the
 * protobuf encoding of those fields of {@code sluice.puller.v1.Event} that are the same for every consumer (documents as
 * BSON), in the order of their numbers. Sending an event is copying the body and appending progress 10, backend 11 and
 * partition 13.
 *
 * <p>Fields are found by stepping over the body when asked for; nothing is decoded before. The array is shared and must
 * not be changed by anyone who holds it.
 */
public final class EventRecord {
    /** Length of the header: format, operation, kind of document id, flags, hash (8), cluster time (8). */
    public static final int HEADER = 20;

    static final byte FORMAT = 1;
    static final int FLAG_LOOKUP = 1;
    static final int FLAG_TXN = 2;

    static final int ID = 1;
    static final int TENANT = 2;
    static final int COLLECTION = 3;
    static final int DOCUMENT_ID = 4;
    static final int OPERATION = 5;
    static final int DOCUMENT = 6;
    static final int UPDATE = 7;
    static final int CLUSTER_TIME = 8;
    static final int TIMESTAMP = 9;
    static final int TXN_NUMBER = 12;
    static final int LOOKUP = 14;
    static final int BEFORE = 15;

    private static final DocumentId.Kind[] KINDS = DocumentId.Kind.values();

    private final byte[] bytes;

    /** For {@link EventRecordEncoder}, which writes nothing that would not pass. */
    EventRecord(byte[] bytes) {
        this.bytes = bytes;
    }

    public static EventRecord of(ChangeEvent event) {
        return new EventRecordEncoder().event(event).encode();
    }

    /**
     * Takes bytes of any origin.
     *
     * @throws InvalidInputException when they are not what an encoder writes
     */
    public static EventRecord parse(byte[] bytes) {
        EventRecordCheck.check(bytes);
        return new EventRecord(bytes);
    }

    /**
     * Takes bytes that an encoder wrote and whose checksum was compared since. Only the header is looked at: walking
     * through every field would be most of the work of reading a backlog.
     *
     * @throws InvalidInputException when they are too few, of another format, or of an unknown operation
     */
    public static EventRecord stored(byte[] bytes) {
        EventRecordCheck.header(bytes);
        return new EventRecord(bytes);
    }

    /** Header and body. */
    public byte[] array() {
        return bytes;
    }

    public int size() {
        return bytes.length;
    }

    public int bodyOffset() {
        return HEADER;
    }

    public int bodyLength() {
        return bytes.length - HEADER;
    }

    public EventId id() {
        return new EventId(clusterTime(), hash());
    }

    /** The part of the id that tells apart the events of one cluster time. */
    public long hash() {
        return Bytes.getLong(bytes, 4);
    }

    public ClusterTime clusterTime() {
        return new ClusterTime(Bytes.getLong(bytes, 12));
    }

    public Operation operation() {
        return Operation.ofCode(bytes[1]);
    }

    public DocumentId.Kind documentIdKind() {
        return KINDS[bytes[2]];
    }

    public boolean lookup() {
        return (bytes[3] & FLAG_LOOKUP) != 0;
    }

    public String tenant() {
        return text(TENANT);
    }

    public String collection() {
        return text(COLLECTION);
    }

    public DocumentId documentId() {
        DocumentId.Kind kind = documentIdKind();
        return kind == DocumentId.Kind.NONE ? DocumentId.NONE : new DocumentId(kind, text(DOCUMENT_ID));
    }

    public @Nullable RawBson document() {
        return bson(DOCUMENT);
    }

    public @Nullable RawBson updateDescription() {
        return bson(UPDATE);
    }

    /** The document's state before the change, where the source keeps it and was asked for it. */
    public @Nullable RawBson before() {
        return bson(BEFORE);
    }

    /** The same event for somebody who was not told of every change before it. */
    public EventRecord withoutBefore() {
        WireReader field = find(BEFORE);
        return field == null
                ? this
                : new EventRecord(Arrays.copyOf(bytes, bytes.length - Wire.bytesFieldSize(field.length())));
    }

    /** Milliseconds since 1970 by the source's clock. */
    public long timestamp() {
        WireReader field = find(TIMESTAMP);
        return field == null ? 0 : field.number();
    }

    public OptionalLong txnNumber() {
        WireReader field = (bytes[3] & FLAG_TXN) == 0 ? null : find(TXN_NUMBER);
        return field == null ? OptionalLong.empty() : OptionalLong.of(field.number());
    }

    /** The hash that decides the partition, {@code fnv1a64(collection + "/" + document id)}, without making strings. */
    public long partitionHash() {
        long hash = addTo(Fnv1a64.START, COLLECTION);
        return addTo(Fnv1a64.add(hash, '/'), DOCUMENT_ID);
    }

    public ChangeEvent toChangeEvent(String backend) {
        return new ChangeEvent(
                id(),
                backend,
                operation(),
                tenant(),
                collection(),
                documentId(),
                document(),
                updateDescription(),
                timestamp(),
                txnNumber(),
                lookup());
    }

    private String text(int number) {
        WireReader field = find(number);
        return field == null ? "" : new String(bytes, field.offset(), field.length(), StandardCharsets.UTF_8);
    }

    private @Nullable RawBson bson(int number) {
        WireReader field = find(number);
        return field == null ? null : new RawBson(bytes, field.offset(), field.length());
    }

    private long addTo(long hash, int number) {
        WireReader field = find(number);
        if (field != null) {
            for (int k = field.offset(); k < field.offset() + field.length(); k++) {
                hash = Fnv1a64.add(hash, bytes[k]);
            }
        }
        return hash;
    }

    private @Nullable WireReader find(int number) {
        WireReader reader = new WireReader(bytes, HEADER, bytes.length);
        while (reader.next()) {
            if (reader.field() >= number) {
                return reader.field() == number ? reader : null;
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return operation().text() + " " + id() + " [" + bytes.length + " bytes]";
    }
}

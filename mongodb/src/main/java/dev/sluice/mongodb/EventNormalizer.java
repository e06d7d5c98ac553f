package dev.sluice.mongodb;

import dev.sluice.log.EventRecord;
import dev.sluice.log.EventRecordEncoder;
import dev.sluice.model.DocumentId;
import dev.sluice.model.Fnv1a64;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Operation;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;

/**
 * From a server's change event to event records: slices are copied, nothing is decoded that need not be.
 *
 * <ul>
 *   <li>{@code dropDatabase} becomes a drop without a collection;
 *   <li>a rename carries its target as {@code {to: {db, coll}}} in the update description; if the target is watched, a
 *       RESYNC of that collection follows, because its documents appeared (or vanished) without events of their own;
 *   <li>control events of collections that are not watched are left out.
 * </ul>
 *
 * For one thread.
 */
final class EventNormalizer {
    private static final byte[] ID = RawEvent.name("_id");
    private static final byte[] TO = RawEvent.name("\3to\0");
    private static final String RESYNC_SALT = "resync";

    private final CollectionFilter filter;
    private final boolean looksUp;
    private final TenantReader tenants;
    private final EventRecordEncoder encoder = new EventRecordEncoder();
    private final RawFields key = new RawFields();

    /** @param looksUp updates come with the document as it is when they are read */
    EventNormalizer(CollectionFilter filter, boolean looksUp, TenantReader tenants) {
        this.filter = filter;
        this.looksUp = looksUp;
        this.tenants = tenants;
    }

    void normalize(RawEvent event, List<EventRecord> into) {
        switch (event.operation) {
            case INSERT -> into.add(data(event, Operation.INSERT));
            case UPDATE -> into.add(data(event, Operation.UPDATE));
            case REPLACE -> into.add(data(event, Operation.REPLACE));
            case DELETE -> into.add(data(event, Operation.DELETE));
            case DROP -> {
                tenants.forget(event.text(event.collection));
                if (filter.passes(event.text(event.collection))) {
                    into.add(control(event, Operation.DROP).encode());
                }
            }
            case RENAME -> rename(event, into);
            case DROP_DATABASE -> {
                tenants.forgetAll();
                into.add(control(event, Operation.DROP).encode());
            }
            case INVALIDATE -> into.add(control(event, Operation.INVALIDATE).encode());
            case OTHER -> {}
        }
    }

    private EventRecord data(RawEvent event, Operation operation) {
        begin(event, operation);
        encoder.collection(event.array, event.collection.start, event.collection.length);
        putDocumentId(event);
        if (event.document.isPresent()) {
            encoder.document(event.array, event.document.start, event.document.length);
            encoder.lookup(looksUp && operation == Operation.UPDATE);
        }
        if (event.update.isPresent()) {
            encoder.updateDescription(event.array, event.update.start, event.update.length);
        }
        if (event.before.isPresent()) {
            encoder.before(event.array, event.before.start, event.before.length);
        }
        return encoder.encode();
    }

    private EventRecordEncoder begin(RawEvent event, Operation operation) {
        encoder.id(event.clusterTime, event.hash()).operation(operation).timestamp(event.timestamp());
        return event.inTransaction ? encoder.txnNumber(event.txnNumber) : encoder;
    }

    private void putDocumentId(RawEvent event) {
        if (!event.documentKey.isPresent() || !findId(event)) {
            throw new InvalidInputException("the source sent a change of a document without saying which");
        }
        switch (key.type()) {
            case RawFields.STRING -> encoder.stringId(event.array, key.textStart(), key.textLength());
            case RawFields.OBJECT_ID -> encoder.objectId(event.array, key.valueStart());
            default -> encoder.documentId(documentId(event));
        }
        tenants.put(
                event, key.fieldStart(), key.valueEnd(), () -> documentId(event).text(), encoder);
    }

    private boolean findId(RawEvent event) {
        key.over(event.array, event.documentKey.start);
        while (key.next()) {
            if (key.is(ID)) {
                return true;
            }
        }
        return false;
    }

    private DocumentId documentId(RawEvent event) {
        return switch (key.type()) {
            case RawFields.INT32 -> number("{\"$numberInt\":\"", key.int32());
            case RawFields.INT64 -> number("{\"$numberLong\":\"", key.int64());
            default -> decoded(event);
        };
    }

    private static DocumentId decoded(RawEvent event) {
        BsonDocument whole = new RawBsonDocument(event.array, event.documentKey.start, event.documentKey.length);
        return DocumentId.of(Objects.requireNonNull(whole.get("_id")));
    }

    private static DocumentId number(String head, long value) {
        return new DocumentId(DocumentId.Kind.OTHER, head + value + "\"}");
    }

    private EventRecordEncoder control(RawEvent event, Operation operation) {
        return begin(event, operation).collection(event.array, event.collection.start, event.collection.length);
    }

    private void rename(RawEvent event, List<EventRecord> into) {
        tenants.forget(event.text(event.collection));
        tenants.forget(event.text(event.targetCollection));
        boolean intoWatched = filter.passes(event.text(event.targetCollection));
        if (intoWatched || filter.passes(event.text(event.collection))) {
            byte[] to = target(event);
            into.add(control(event, Operation.RENAME)
                    .updateDescription(to, 0, to.length)
                    .encode());
        }
        if (intoWatched) {
            into.add(encoder.id(event.clusterTime, Fnv1a64.add(event.hash(), RESYNC_SALT))
                    .operation(Operation.RESYNC)
                    .timestamp(event.timestamp())
                    .collection(event.array, event.targetCollection.start, event.targetCollection.length)
                    .encode());
        }
    }

    private static byte[] target(RawEvent event) {
        int length = 4 + TO.length + event.target.length + 1;
        return ByteBuffer.allocate(length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(length)
                .put(TO)
                .put(event.array, event.target.start, event.target.length)
                .array();
    }
}

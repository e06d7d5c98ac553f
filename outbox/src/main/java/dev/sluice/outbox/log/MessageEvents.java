package dev.sluice.outbox.log;

import dev.sluice.capture.TenantRule;
import dev.sluice.log.EventRecord;
import dev.sluice.log.EventRecordEncoder;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.Fnv1a64;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import dev.sluice.outbox.table.Row;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonSerializationException;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * A row as a change event: an insert into the collection named as its topic, of a document whose id is the key, with the content
 * {@code {id, type, payload, headers}}. The event's id has the row's id in it twice: as its number and in its hash.
 */
final class MessageEvents {
    static final String TENANT_HEADER = "tenant";
    /** As large as MongoDB's documents may be: everything behind the log is made for those. */
    static final int LARGEST = 16 << 20;

    private final TenantRule rule;
    private final String outbox;

    /** @param outbox of its database: two of them may have the same row in the same second */
    MessageEvents(TenantRule rule, String outbox) {
        this.rule = rule;
        this.outbox = outbox;
    }

    /** @throws InvalidInputException saying why this row can never be an event */
    EventRecord of(Row row, ClusterTime time) {
        BsonDocument document = document(row);
        RawBson bson = encode(document);
        return new EventRecordEncoder()
                .id(time, hash(row))
                .operation(Operation.INSERT)
                .tenant(tenant(row, document))
                .collection(row.topic())
                .documentId(new DocumentId(DocumentId.Kind.STRING, row.key()))
                .document(bson)
                .timestamp(row.createdAt().toEpochMilli())
                .encode();
    }

    private static RawBson encode(BsonDocument document) {
        RawBson bson;
        try {
            bson = RawBson.of(document);
        } catch (BsonSerializationException | IllegalArgumentException impossible) {
            throw new InvalidInputException("it cannot be an event: " + impossible.getMessage());
        }
        if (bson.length() > LARGEST) {
            throw new InvalidInputException(
                    "as an event it has " + bson.length() + " bytes, and an event has at most " + LARGEST);
        }
        return bson;
    }

    /** Never 0, which stands for the place before an event. */
    private long hash(Row row) {
        long hash = Fnv1a64.hash(outbox + "/" + row.id() + "/" + row.topic() + "/" + row.key());
        return hash == 0 ? 1 : hash;
    }

    private static BsonDocument document(Row row) {
        BsonDocument headers = new BsonDocument();
        new TreeMap<>(row.headers()).forEach((name, value) -> headers.put(name, new BsonString(value)));
        return new BsonDocument("id", new BsonInt64(row.id()))
                .append("type", new BsonString(row.type()))
                .append("payload", JsonPayload.of(row.payload(), row.headers()))
                .append("headers", headers);
    }

    /** Where no rule is set, the header says it. */
    private String tenant(Row row, BsonDocument document) {
        return switch (rule) {
            case TenantRule.None none -> row.headers().getOrDefault(TENANT_HEADER, "");
            case TenantRule.Field field -> text(document, field.path());
            case TenantRule.IdPrefix prefix -> prefix.of(row.key());
            case TenantRule.Constant constant -> constant.tenant();
            case TenantRule.Database unknown -> "";
        };
    }

    private static String text(BsonDocument document, String path) {
        @Nullable BsonValue value = document;
        for (String name : path.split("\\.")) {
            value = value != null && value.isDocument() ? value.asDocument().get(name) : null;
        }
        return value != null && value.isString() ? value.asString().getValue() : "";
    }
}

package dev.sluice.testkit.contract;

import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.EventType;
import dev.sluice.deliver.Introductions;
import dev.sluice.deliver.OutgoingEvent;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Operation;
import dev.sluice.model.Priority;
import dev.sluice.model.RawBson;
import dev.sluice.model.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

/** Deliveries for tests: small, and told apart by one number, which is their seq. */
public final class SampleDeliveries {
    private static final FencingToken TOKEN = new FencingToken(3, 41);

    private SampleDeliveries() {}

    /** An insert of document {@code n}. */
    public static Delivery delivery(int n) {
        return delivery(n, "doc-" + n, 0);
    }

    /** An insert of this document, with a text of so many characters. */
    public static Delivery delivery(int n, String documentId, int characters) {
        BsonDocument document = new BsonDocument("_id", new BsonString(documentId)).append("n", new BsonInt32(n));
        if (characters > 0) {
            document.append("text", new BsonString("x".repeat(characters)));
        }
        ChangeEvent event =
                event(n, Operation.INSERT, DocumentId.of(new BsonString(documentId)), document, null, false);
        return of(n, EventType.INSERT, event);
    }

    private static Delivery of(int n, EventType type, ChangeEvent event) {
        return new Delivery("sub-" + n % 7, type, new OutgoingEvent(event), n, n % 4, TOKEN, n % 2 == 1, "marker-" + n);
    }

    private static ChangeEvent event(
            int n,
            Operation operation,
            DocumentId documentId,
            @Nullable BsonDocument document,
            @Nullable BsonDocument updateDescription,
            boolean lookup) {
        return new ChangeEvent(
                new EventId(ClusterTime.of(1_700_000_000L + n, 1), n),
                "main",
                operation,
                "acme",
                "orders",
                documentId,
                document == null ? null : RawBson.of(document),
                updateDescription == null ? null : RawBson.of(updateDescription),
                1_700_000_000_000L + n,
                OptionalLong.empty(),
                lookup);
    }

    public static DeliveryBatch batch(TestGateway gateway, int from, int to) {
        return new DeliveryBatch(
                gateway.address().id(),
                IntStream.range(from, to).mapToObj(SampleDeliveries::delivery).toList());
    }

    /** One of each kind: texts of many alphabets, an update, a delete without document, one for many, a control event. */
    public static List<Delivery> allKinds() {
        DocumentId hex = DocumentId.of(new BsonObjectId(new ObjectId("5f0000000000000000000001")));
        BsonDocument words = new BsonDocument("_id", new BsonString("ö\"\\\n\u2028 key"))
                .append("emoji", new BsonString("😀\u0000\u007f"))
                .append("nested", new BsonDocument("list", new BsonArray(List.of(new BsonInt64(Long.MAX_VALUE)))));
        BsonDocument changed = new BsonDocument("updatedFields", new BsonDocument("a", new BsonInt32(1)))
                .append("removedFields", new BsonArray());
        Delivery deleted = of(3, EventType.DELETE, event(3, Operation.DELETE, hex, null, null, false));
        return List.of(
                of(
                        1,
                        EventType.ENTER,
                        event(1, Operation.INSERT, DocumentId.of(words.getString("_id")), words, null, false)),
                of(2, EventType.UPDATE, event(2, Operation.UPDATE, hex, words, changed, true)),
                new Delivery(
                        deleted.subscriptionId(),
                        deleted.type(),
                        deleted.event(),
                        Long.MAX_VALUE,
                        255,
                        new FencingToken(TOKEN.generation(), Long.MAX_VALUE),
                        true,
                        "",
                        Priority.LOW),
                of(4, EventType.RESYNC, event(4, Operation.RESYNC, DocumentId.NONE, null, null, false)));
    }

    /** Two definitions, one with everything a subscription can have but a start, and two ids of others. */
    public static Introductions introductions() {
        Subscription all = new Subscription(
                "sub-1",
                "gw-ö \"1\"",
                "acme",
                "orders",
                Optional.of("doc-1"),
                "{\"a\": {\"$gte\": 1}, \"ü\\n\": \"😀\"}",
                Priority.LOW,
                Duration.ofSeconds(61),
                Optional.empty(),
                true,
                true);
        return new Introductions(
                List.of(all, Subscription.of("sub-2", "", "", "orders", "{}")), List.of("sub-3", "sub-\"4\""));
    }
}

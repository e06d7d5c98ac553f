package dev.sluice.testkit.contract;

import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.Introductions;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Priority;
import dev.sluice.model.RawBson;
import dev.sluice.model.Subscription;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** One event as a gateway got it, whatever the protocol. Documents are empty where there was none. */
public record Received(
        String subscriptionId,
        String type,
        String eventId,
        String tenant,
        String collection,
        String documentId,
        BsonDocument document,
        BsonDocument updateDescription,
        long timestamp,
        boolean lookup,
        long seq,
        int partition,
        FencingToken token,
        boolean redelivery,
        String progress,
        boolean representative) {

    /** What should arrive of it. */
    public static Received expected(Delivery delivery) {
        ChangeEvent event = delivery.event().event();
        return new Received(
                delivery.subscriptionId(),
                delivery.type().text(),
                event.id().toString(),
                event.tenant(),
                event.collection(),
                event.documentId().text(),
                document(event.document()),
                document(event.updateDescription()),
                event.timestamp(),
                event.lookup(),
                delivery.seq(),
                delivery.partition(),
                delivery.token(),
                delivery.redelivery(),
                delivery.progress(),
                delivery.representative());
    }

    private static BsonDocument document(@Nullable RawBson bson) {
        return bson == null ? new BsonDocument() : BsonDocument.parse(bson.toJson());
    }

    /** Of a document's text, which may be empty. */
    public static BsonDocument document(byte[] json) {
        return json.length == 0 ? new BsonDocument() : BsonDocument.parse(new String(json, StandardCharsets.UTF_8));
    }

    /** The body of HTTP and NATS. */
    public static List<Received> body(byte[] json) {
        return document(json).getArray("events").stream()
                .map(item -> item(item.asDocument()))
                .toList();
    }

    /** What stands before the events there; the filter is its text. */
    public static Introductions introductions(byte[] json) {
        BsonDocument body = document(json);
        return new Introductions(
                body.getArray("subscriptions", new BsonArray()).stream()
                        .map(each -> definition(each.asDocument()))
                        .toList(),
                body.getArray("toldBefore", new BsonArray()).stream()
                        .map(each -> each.asString().getValue())
                        .toList());
    }

    private static Subscription definition(BsonDocument told) {
        String ttl = told.getString("ttl").getValue();
        return new Subscription(
                told.getString("id").getValue(),
                told.getString("gatewayId").getValue(),
                told.getString("tenant").getValue(),
                told.getString("collection").getValue(),
                Optional.ofNullable(told.get("documentId"))
                        .map(id -> id.asString().getValue()),
                told.getString("filter").getValue(),
                Priority.parse(told.getString("priority").getValue()),
                Duration.ofSeconds(Long.parseLong(ttl.substring(0, ttl.length() - 1))),
                Optional.empty(),
                told.getBoolean("failover").getValue(),
                told.getBoolean("transitions").getValue());
    }

    private static Received item(BsonDocument item) {
        BsonDocument token = item.getDocument("fencingToken");
        return event(
                item.getDocument("event"),
                item.getString("subscriptionId").getValue(),
                item.getNumber("seq").longValue(),
                item.getNumber("partitionId").intValue(),
                new FencingToken(
                        token.getNumber("generation").longValue(),
                        token.getNumber("epoch").longValue()),
                item.getBoolean("redelivery").getValue(),
                item.getString("progress").getValue(),
                item.containsKey("representative"));
    }

    /** The object {@code event}, and what the protocol says around it. */
    public static Received event(
            BsonDocument event,
            String subscriptionId,
            long seq,
            int partition,
            FencingToken token,
            boolean redelivery,
            String progress,
            boolean representative) {
        return new Received(
                subscriptionId,
                event.getString("type").getValue(),
                event.getString("id").getValue(),
                event.getString("tenant").getValue(),
                event.getString("collection").getValue(),
                event.getString("documentId").getValue(),
                orEmpty(event.get("document", BsonNull.VALUE)),
                orEmpty(event.get("updateDescription", BsonNull.VALUE)),
                event.getNumber("timestamp").longValue(),
                event.getBoolean("lookup").getValue(),
                seq,
                partition,
                token,
                redelivery,
                progress,
                representative);
    }

    private static BsonDocument orEmpty(BsonValue value) {
        return value.isNull() ? new BsonDocument() : value.asDocument();
    }

    public Received withoutProgress() {
        return new Received(
                subscriptionId,
                type,
                eventId,
                tenant,
                collection,
                documentId,
                document,
                updateDescription,
                timestamp,
                lookup,
                seq,
                partition,
                token,
                redelivery,
                "",
                representative);
    }
}

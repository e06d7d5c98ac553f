package dev.sluice.deliver;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import java.util.OptionalLong;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/** Deliveries told apart by their seq. */
final class Deliveries {
    private Deliveries() {}

    static Delivery of(int seq, String subscription, String document) {
        return of(seq, subscription, document, 0);
    }

    static Delivery drop(int seq, String subscription) {
        return new Delivery(
                subscription,
                EventType.DROP,
                new OutgoingEvent(event(seq, Operation.DROP, DocumentId.NONE, null)),
                seq,
                5,
                new FencingToken(1, 2),
                false,
                "m");
    }

    static Delivery of(int seq, String subscription, String document, int characters) {
        BsonDocument body = new BsonDocument("_id", new BsonString(document));
        if (characters > 0) {
            body.append("text", new BsonString("x".repeat(characters)));
        }
        ChangeEvent event = event(seq, Operation.INSERT, DocumentId.of(new BsonString(document)), RawBson.of(body));
        return new Delivery(
                subscription, EventType.INSERT, new OutgoingEvent(event), seq, 5, new FencingToken(1, 2), false, "m");
    }

    private static ChangeEvent event(int seq, Operation operation, DocumentId document, @Nullable RawBson body) {
        return new ChangeEvent(
                new EventId(ClusterTime.of(9, seq), seq),
                "main",
                operation,
                "acme",
                "orders",
                document,
                body,
                null,
                1_700_000_000_000L,
                OptionalLong.empty(),
                false);
    }
}

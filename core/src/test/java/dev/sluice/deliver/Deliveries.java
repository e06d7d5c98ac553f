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

/** Deliveries told apart by their seq. */
final class Deliveries {
    private Deliveries() {}

    static Delivery of(int seq, String subscription, String document) {
        return of(seq, subscription, document, 0);
    }

    static Delivery of(int seq, String subscription, String document, int characters) {
        BsonDocument body = new BsonDocument("_id", new BsonString(document));
        if (characters > 0) {
            body.append("text", new BsonString("x".repeat(characters)));
        }
        ChangeEvent event = new ChangeEvent(
                new EventId(ClusterTime.of(9, seq), seq),
                "main",
                Operation.INSERT,
                "acme",
                "orders",
                DocumentId.of(new BsonString(document)),
                RawBson.of(body),
                null,
                1_700_000_000_000L,
                OptionalLong.empty(),
                false);
        return new Delivery(
                subscription, EventType.INSERT, new OutgoingEvent(event), seq, 5, new FencingToken(1, 2), false, "m");
    }
}

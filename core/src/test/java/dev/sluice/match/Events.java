package dev.sluice.match;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.Priority;
import dev.sluice.model.RawBson;
import dev.sluice.model.Subscription;
import java.util.Optional;
import java.util.OptionalLong;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** Events and subscriptions in few words. */
final class Events {
    private Events() {}

    static ChangeEvent event(
            Operation operation, String tenant, String collection, String id, @Nullable RawBson document) {
        return new ChangeEvent(
                new EventId(ClusterTime.of(1, 1), 1),
                "main",
                operation,
                tenant,
                collection,
                operation.isData() ? new DocumentId(DocumentId.Kind.STRING, id) : DocumentId.NONE,
                document,
                null,
                0,
                OptionalLong.empty(),
                false);
    }

    static ChangeEvent insert(String collection, String json) {
        return event(Operation.INSERT, "", collection, "1", bson(json));
    }

    static RawBson bson(String json) {
        return RawBson.of(BsonDocument.parse(json));
    }

    static Subscription subscription(
            String id,
            String gateway,
            String tenant,
            String collection,
            @Nullable String documentId,
            String filter,
            boolean transitions) {
        return new Subscription(
                id,
                gateway,
                tenant,
                collection,
                Optional.ofNullable(documentId),
                filter,
                Priority.NORMAL,
                Subscription.DEFAULT_TTL,
                Optional.empty(),
                false,
                transitions);
    }

    static Subscription withPriority(Subscription subscription, Priority priority) {
        return new Subscription(
                subscription.id(),
                subscription.gatewayId(),
                subscription.tenant(),
                subscription.collection(),
                subscription.documentId(),
                subscription.filter(),
                priority,
                subscription.ttl(),
                subscription.from(),
                subscription.failover(),
                subscription.transitions());
    }

    static Subscription subscription(String id, String filter) {
        return subscription(id, "g", "", "orders", null, filter, false);
    }
}

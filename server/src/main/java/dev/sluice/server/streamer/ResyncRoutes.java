package dev.sluice.server.streamer;

import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Subscription;
import dev.sluice.server.http.Answers;
import dev.sluice.server.http.Json;
import dev.sluice.server.http.JsonBody;
import dev.sluice.subscribe.SubscriptionRegistry;
import dev.sluice.subscribe.SubscriptionStoreException;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.util.List;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code POST /admin/v1/resync}: sends RESYNC to one subscription, to those of a gateway, or to all. */
final class ResyncRoutes {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.streamer");
    private static final String ONE_OF =
            "the body must have one of \"subscription\": ID, \"gateway\": ID, \"all\": true";

    private final StreamerRole role;

    ResyncRoutes(StreamerRole role) {
        this.role = role;
    }

    void add(HttpRouting.Builder routes) {
        routes.post("/admin/v1/resync", this::resync);
    }

    private void resync(ServerRequest request, ServerResponse response) {
        try {
            var ids = chosen(JsonBody.of(request), role.subscriptions());
            role.subscriptions().resync(ids);
            LOG.atInfo().addKeyValue("subscriptions", ids.size()).log("an operator ordered RESYNC");
            Answers.json(response, Json.object("subscriptions", ids.size()));
        } catch (InvalidInputException refused) {
            Answers.refuse(response, Status.BAD_REQUEST_400, String.valueOf(refused.getMessage()));
        } catch (SubscriptionStoreException failed) {
            Answers.refuse(response, Status.SERVICE_UNAVAILABLE_503, String.valueOf(failed.getMessage()));
        }
    }

    private static List<String> chosen(BsonDocument body, SubscriptionRegistry subscriptions) {
        var one = text(body, "subscription");
        var gateway = text(body, "gateway");
        var all = all(body);
        if ((one.isEmpty() ? 0 : 1) + (gateway.isEmpty() ? 0 : 1) + (all ? 1 : 0) != 1) {
            throw new InvalidInputException(ONE_OF);
        }
        if (!one.isEmpty()) {
            return List.of(subscriptions
                    .find(one)
                    .orElseThrow(() ->
                            new InvalidInputException("there is no subscription " + InvalidInputException.quote(one)))
                    .id());
        }
        return all
                ? subscriptions.gatewayIds().stream()
                        .flatMap(id -> subscriptions.ofGateway(id).stream())
                        .map(Subscription::id)
                        .toList()
                : ofGateway(gateway, subscriptions);
    }

    private static List<String> ofGateway(String gateway, SubscriptionRegistry subscriptions) {
        var ids =
                subscriptions.ofGateway(gateway).stream().map(Subscription::id).toList();
        if (ids.isEmpty()) {
            throw new InvalidInputException(
                    "gateway " + InvalidInputException.quote(gateway) + " has no subscriptions");
        }
        return ids;
    }

    private static String text(BsonDocument body, String name) {
        try {
            return body.getString(name, new BsonString("")).getValue();
        } catch (BsonInvalidOperationException bad) {
            throw new InvalidInputException(ONE_OF);
        }
    }

    private static boolean all(BsonDocument body) {
        try {
            return body.getBoolean("all", BsonBoolean.FALSE).getValue();
        } catch (BsonInvalidOperationException bad) {
            throw new InvalidInputException(ONE_OF);
        }
    }
}

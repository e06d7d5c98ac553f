package dev.sluice.server.streamer;

import dev.sluice.coordinate.GroupStatus;
import dev.sluice.http.SubscriptionRoutes;
import dev.sluice.model.Subscription;
import dev.sluice.route.SubscriptionStatus;
import dev.sluice.server.http.Answers;
import dev.sluice.server.http.Json;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** {@code GET /admin/v1/subscriptions/ID}: one subscription, where it stands in each partition of this node and why it waits. */
final class SubscriptionStatusRoutes {
    private static final String PATH = "/admin/v1/subscriptions/";

    private final StreamerRole role;

    SubscriptionStatusRoutes(StreamerRole role) {
        this.role = role;
    }

    void add(HttpRouting.Builder routes) {
        routes.get(PATH + "*", this::show);
    }

    private void show(ServerRequest request, ServerResponse response) {
        var id = id(request);
        var definition = id == null ? null : role.subscriptions().find(id).orElse(null);
        var status = id == null ? null : role.streamer().subscription(id).orElse(null);
        if (definition == null || status == null) {
            Answers.refuse(
                    response,
                    Status.NOT_FOUND_404,
                    "there is no such subscription (any more); sluice subscriptions list shows those there are");
        } else {
            Answers.json(response, answer(definition, status, role.group().status()));
        }
    }

    /** From the path as it was sent: an id may have slashes, encoded. Null: the path is not encoded as URLs are. */
    private static @Nullable String id(ServerRequest request) {
        var path = request.prologue().uriPath().rawPath().substring(PATH.length());
        try {
            return URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException notEncoded) {
            return null;
        }
    }

    private static BsonDocument answer(Subscription definition, SubscriptionStatus status, GroupStatus group) {
        var here = new TreeSet<Integer>();
        status.standings().forEach(one -> here.add(one.partition()));
        var elsewhere = IntStream.range(0, group.partitions())
                .filter(partition -> !here.contains(partition))
                .boxed()
                .toList();
        return Json.object(
                "subscription", BsonDocument.parse(SubscriptionRoutes.json(definition)),
                "revision", status.revision(),
                "home", status.home(),
                "gateways", Json.array(status.gateways(), SubscriptionStatusRoutes::gateway),
                "partitions", group.partitions(),
                "notOwnedHere", Json.array(elsewhere, Json::value),
                "standings", Json.array(status.standings(), SubscriptionStatusRoutes::standing));
    }

    private static BsonDocument gateway(SubscriptionStatus.Receiver gateway) {
        return Json.object(
                "id", gateway.id(),
                "state", gateway.state(),
                "breakerOpen", gateway.breakerOpen(),
                "lastError", gateway.lastError().isEmpty() ? null : gateway.lastError());
    }

    private static BsonDocument standing(SubscriptionStatus.Standing one) {
        var answer = Json.object(
                "partition", one.partition(),
                "log", one.log(),
                "gateway", one.gateway(),
                "group", one.group().text());
        one.cursor().ifPresent(cursor -> answer.putAll(cursor(cursor)));
        answer.put("batch", Json.value(one.batch().text()));
        answer.put("resyncOwed", Json.value(one.resyncOwed()));
        answer.put("atRest", Json.value(one.isAtRest()));
        answer.put("waits", Json.value(one.waits().isEmpty() ? null : one.waits()));
        return answer;
    }

    private static BsonDocument cursor(SubscriptionStatus.Cursor cursor) {
        return Json.object(
                "acked", cursor.acked().id(),
                "read", cursor.read().id(),
                "tail", cursor.tail().id(),
                "eventsBehind", cursor.events().isPresent() ? cursor.events().getAsInt() : null,
                "secondsBehind", cursor.behind().toSeconds());
    }
}

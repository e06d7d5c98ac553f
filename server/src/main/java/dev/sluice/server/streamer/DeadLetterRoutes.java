package dev.sluice.server.streamer;

import dev.sluice.lane.DeadLetter;
import dev.sluice.model.InvalidInputException;
import dev.sluice.server.http.Answers;
import dev.sluice.server.http.Json;
import dev.sluice.server.http.JsonBody;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.json.JsonParseException;

/** {@code /admin/v1/dlq}: look at dead letters, send them again, or delete them. */
final class DeadLetterRoutes {
    private static final String PATH = "/admin/v1/dlq";
    private static final int MOST = 1_000;

    private final StreamerRole role;

    DeadLetterRoutes(StreamerRole role) {
        this.role = role;
    }

    void add(HttpRouting.Builder routes) {
        routes.get(PATH, this::list)
                .post(PATH + "/retry", this::retry)
                .get(PATH + "/{id}", this::show)
                .delete(PATH + "/{id}", this::delete);
    }

    private void list(ServerRequest request, ServerResponse response) {
        try {
            var limit = Math.min(MOST, number(request, "limit", 100));
            var letters = role.deadLetters().list(text(request, "after"), limit);
            Answers.json(
                    response,
                    Json.object(
                            "count", role.deadLetters().count(),
                            "deadLetters", Json.array(letters, DeadLetterRoutes::summary),
                            "next",
                                    letters.size() < limit
                                            ? ""
                                            : letters.getLast().id()));
        } catch (InvalidInputException refused) {
            Answers.refuse(response, Status.BAD_REQUEST_400, String.valueOf(refused.getMessage()));
        }
    }

    private static String text(ServerRequest request, String name) {
        return request.query().first(name).asOptional().orElse("");
    }

    private static int number(ServerRequest request, String name, int otherwise) {
        var text = text(request, name);
        if (!text.matches("[1-9]\\d{0,8}|")) {
            throw new InvalidInputException(name + " is a number above 0");
        }
        return text.isEmpty() ? otherwise : Integer.parseInt(text);
    }

    private static BsonDocument summary(DeadLetter letter) {
        return Json.object(
                "id", letter.id(),
                "gateway", letter.gatewayId(),
                "subscription", letter.subscriptionId(),
                "eventId", letter.eventId(),
                "type", letter.type().text(),
                "partition", letter.partition(),
                "reason", letter.reason(),
                "at", letter.at(),
                "attempts", letter.attempts());
    }

    private void show(ServerRequest request, ServerResponse response) {
        var found = role.deadLetters().find(request.path().pathParameters().get("id"));
        if (found.isEmpty()) {
            notThere(response);
            return;
        }
        var letter = found.get();
        var answer = summary(letter);
        if (letter.standsFor() != null) {
            answer.put("standsFor", new BsonString(letter.standsFor().text()));
        }
        answer.put("history", Json.array(letter.history(), BsonString::new));
        answer.put("event", event(letter.entry()));
        Answers.json(response, answer);
    }

    /** As the gateway got it. */
    private static BsonValue event(byte[] json) {
        var text = new String(json, StandardCharsets.UTF_8);
        try {
            return BsonDocument.parse(text);
        } catch (JsonParseException unusual) {
            return new BsonString(text);
        }
    }

    private void delete(ServerRequest request, ServerResponse response) {
        if (role.deadLetters().delete(request.path().pathParameters().get("id"))) {
            Answers.json(response, "deleted", true);
        } else {
            notThere(response);
        }
    }

    private static void notThere(ServerResponse response) {
        Answers.refuse(
                response, Status.NOT_FOUND_404, "there is no such dead letter; sluice dlq list shows those there are");
    }

    /** {@code {"ids": […]}}, or {@code {"all": true}} from the oldest on; with {@code "dryRun": true} nothing is sent. */
    private void retry(ServerRequest request, ServerResponse response) {
        try {
            var body = JsonBody.of(request);
            var dryRun = body.getBoolean("dryRun", BsonBoolean.FALSE).getValue();
            var all = body.getBoolean("all", BsonBoolean.FALSE).getValue();
            var report = role.streamer().retry(all ? everyId() : ids(body), dryRun);
            Answers.json(
                    response,
                    Json.object(
                            "dryRun", dryRun,
                            "accepted", Json.array(report.accepted(), BsonString::new),
                            "refused", Json.array(report.refused(), BsonString::new)));
        } catch (InvalidInputException refused) {
            Answers.refuse(response, Status.BAD_REQUEST_400, String.valueOf(refused.getMessage()));
        }
    }

    private static List<String> ids(BsonDocument body) {
        try {
            return body.getArray("ids", new BsonArray()).stream()
                    .map(id -> id.asString().getValue())
                    .toList();
        } catch (BsonInvalidOperationException bad) {
            throw new InvalidInputException("ids is a list of texts");
        }
    }

    private List<String> everyId() {
        var ids = new ArrayList<String>();
        var page = role.deadLetters().list("", MOST);
        while (!page.isEmpty()) {
            page.forEach(letter -> ids.add(letter.id()));
            page = role.deadLetters().list(page.getLast().id(), MOST);
        }
        return ids;
    }
}

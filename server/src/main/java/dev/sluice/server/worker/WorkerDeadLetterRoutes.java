package dev.sluice.server.worker;

import dev.sluice.model.InvalidInputException;
import dev.sluice.server.http.Answers;
import dev.sluice.server.http.Json;
import dev.sluice.server.http.JsonBody;
import dev.sluice.worker.admin.WorkerAdmin;
import dev.sluice.worker.deadletter.DeadLetter;
import dev.sluice.worker.deadletter.DeadLetters;
import dev.sluice.worker.deadletter.LetterId;
import dev.sluice.worker.deadletter.LetterPage;
import dev.sluice.worker.deadletter.RetryOutcome;
import dev.sluice.worker.deadletter.StoredLetter;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonString;

/** {@code /admin/v1/worker/dlq}: list, show, retry and delete the dead letters of the worker's group. */
final class WorkerDeadLetterRoutes {
    private static final String PATH = "/admin/v1/worker/dlq";
    private static final int MAX_PAGE = 1_000;

    private final WorkerAdmin admin;
    private final DeadLetters letters;

    WorkerDeadLetterRoutes(WorkerAdmin admin) {
        this.admin = admin;
        this.letters = admin.deadLetters();
    }

    void add(HttpRouting.Builder routes) {
        routes.get(PATH, WorkerAnswers.guarded(this::list))
                .post(PATH + "/retry", WorkerAnswers.guarded(this::retry))
                .get(PATH + "/{id}", WorkerAnswers.guarded(this::show))
                .delete(PATH + "/{id}", WorkerAnswers.guarded(this::delete));
    }

    private void list(ServerRequest request, ServerResponse response) {
        int limit = (int) Math.clamp(number(request, "limit", 100), 1, MAX_PAGE);
        LetterPage page = letters.list(number(request, "after", 0), limit);
        Answers.json(
                response,
                Json.object(
                        "deadLetters",
                        Json.array(page.letters(), WorkerDeadLetterRoutes::summary),
                        "next",
                        page.next() == 0 ? null : page.next()));
    }

    private static long number(ServerRequest request, String name, long otherwise) {
        String text = request.query().first(name).asOptional().orElse("");
        if (!text.matches("\\d{0,18}")) {
            throw new InvalidInputException(name + " is a number from 0 up");
        }
        return text.isEmpty() ? otherwise : Long.parseLong(text);
    }

    private static BsonDocument summary(LetterPage.Summary letter) {
        return Json.object(
                "id", letter.id(),
                "stream", letter.stream(),
                "subject", letter.subject(),
                "partition", letter.partition(),
                "sequence", letter.id().sequence(),
                "worker", letter.worker(),
                "reason", letter.reason(),
                "attempts", letter.attempts(),
                "lastFailure", letter.lastFailure(),
                "storedAt", letter.storedAt(),
                "bytes", letter.bytes());
    }

    private void show(ServerRequest request, ServerResponse response) {
        letters.show(id(request))
                .ifPresentOrElse(found -> Answers.json(response, whole(found)), () -> notThere(response));
    }

    private static LetterId id(ServerRequest request) {
        return LetterId.of(request.path().pathParameters().get("id"));
    }

    private static BsonDocument whole(StoredLetter stored) {
        DeadLetter letter = stored.letter();
        BsonDocument answer = Json.object(
                "id", letter.id(),
                "stream", letter.stream(),
                "subject", letter.subject(),
                "partition", letter.partition(),
                "sequence", letter.id().sequence(),
                "worker", letter.worker(),
                "reason", letter.reason(),
                "attempts", letter.attempts(),
                "firstFailure", letter.firstFailure(),
                "lastFailure", letter.lastFailure(),
                "storedAt", stored.storedAt(),
                "headers", headers(letter));
        body(letter.body(), answer);
        return answer;
    }

    private static BsonDocument headers(DeadLetter letter) {
        BsonDocument headers = new BsonDocument();
        letter.headers().forEach((name, values) -> headers.put(name, Json.array(values, BsonString::new)));
        return headers;
    }

    /** Text as it is, anything else in base64. */
    private static void body(byte[] body, BsonDocument answer) {
        try {
            answer.put(
                    "body",
                    new BsonString(StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(body))
                            .toString()));
        } catch (CharacterCodingException binary) {
            answer.put("bodyBase64", new BsonString(Base64.getEncoder().encodeToString(body)));
        }
    }

    private static void notThere(ServerResponse response) {
        Answers.refuse(
                response,
                Status.NOT_FOUND_404,
                "there is no such dead letter; sluice worker dlq list shows those there are");
    }

    private void delete(ServerRequest request, ServerResponse response) {
        if (letters.delete(id(request))) {
            Answers.json(response, "deleted", true);
        } else {
            notThere(response);
        }
    }

    /**
     * {@code {"ids": […]}}, or {@code {"all": true}} from the oldest on. All are published before the answer, which takes
     * minutes with thousands: the command sends ids in small batches.
     */
    private void retry(ServerRequest request, ServerResponse response) {
        BsonArray retried = new BsonArray();
        BsonArray failed = new BsonArray();
        for (LetterId id : wanted(request)) {
            switch (admin.retry(id)) {
                case RetryOutcome.Retried done ->
                    retried.add(Json.object("id", id, "subject", done.subject(), "sequence", done.sequence()));
                case RetryOutcome.Missing missing ->
                    failed.add(Json.object("id", id, "reason", "there is no such dead letter"));
                case RetryOutcome.Failed stays -> failed.add(Json.object("id", id, "reason", stays.reason()));
            }
        }
        Answers.json(response, Json.object("retried", retried, "failed", failed));
    }

    private List<LetterId> wanted(ServerRequest request) {
        try {
            var body = JsonBody.of(request);
            return body.getBoolean("all", BsonBoolean.FALSE).getValue()
                    ? everyId()
                    : body.getArray("ids", new BsonArray()).stream()
                            .map(id -> LetterId.of(id.asString().getValue()))
                            .toList();
        } catch (BsonInvalidOperationException bad) {
            throw new InvalidInputException("the body must be {\"ids\": [...]} or {\"all\": true}");
        }
    }

    /** All that are there now: a letter that fails again meanwhile is not taken twice. */
    private List<LetterId> everyId() {
        List<LetterId> ids = new ArrayList<>();
        LetterPage page = letters.list(0, MAX_PAGE);
        page.letters().forEach(letter -> ids.add(letter.id()));
        while (page.next() != 0) {
            page = letters.list(page.next(), MAX_PAGE);
            page.letters().forEach(letter -> ids.add(letter.id()));
        }
        return ids;
    }
}

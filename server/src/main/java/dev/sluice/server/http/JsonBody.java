package dev.sluice.server.http;

import dev.sluice.http.RequestBody;
import dev.sluice.model.InvalidInputException;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import java.time.Duration;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.json.JsonParseException;

/** JSON bodies of the admin API, within the bounds of {@link RequestBody} until they are parsed; one bound for all roles of the process. */
public final class JsonBody {
    private static final RequestBody BODIES = new RequestBody(Duration.ofSeconds(30));

    private JsonBody() {}

    /** @throws InvalidInputException when the body is missing or no JSON object */
    public static BsonDocument of(ServerRequest request) {
        BsonDocument body = new BsonDocument();
        BODIES.read(request, text -> {
            try {
                body.putAll(BsonDocument.parse(text));
            } catch (JsonParseException | BsonInvalidOperationException | IllegalArgumentException bad) {
                throw new InvalidInputException("the body must be a JSON object");
            }
        });
        return body;
    }

    /** Answers requests whose body exceeds a bound: 413, 408 or 503. */
    static void refusals(HttpRouting.Builder routes) {
        routes.error(
                        RequestBody.TooLargeException.class,
                        (request, response, e) -> Answers.refuse(
                                response,
                                Status.REQUEST_ENTITY_TOO_LARGE_413,
                                "a body has at most " + RequestBody.LONGEST
                                        + " bytes: send less at once; for partitions use a pattern or hashed partitions"))
                .error(
                        RequestBody.TooSlowException.class,
                        (request, response, e) ->
                                Answers.refuse(response, Status.REQUEST_TIMEOUT_408, String.valueOf(e.getMessage())))
                .error(RequestBody.NoRoomException.class, (request, response, e) -> {
                    response.header(HeaderNames.RETRY_AFTER, "1");
                    Answers.refuse(response, Status.SERVICE_UNAVAILABLE_503, String.valueOf(e.getMessage()));
                });
    }
}

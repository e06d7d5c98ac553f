package dev.sluice.server.http;

import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.http.ServerResponse;
import org.bson.BsonDocument;

/** Sends JSON. */
public final class Answers {
    private Answers() {}

    public static void json(ServerResponse response, BsonDocument answer) {
        response.header(HeaderNames.CONTENT_TYPE, "application/json").send(Json.text(answer));
    }

    /** An object with this one member. */
    public static void json(ServerResponse response, String name, Object value) {
        json(response, Json.object(name, value));
    }

    /** One sentence that says what to do. */
    public static void refuse(ServerResponse response, Status status, String sentence) {
        response.status(status);
        json(response, "error", sentence);
    }
}

package dev.sluice.server.streamer;

import dev.sluice.model.InvalidInputException;
import io.helidon.webserver.http.ServerRequest;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInvalidOperationException;
import org.bson.json.JsonParseException;

/** What requests of the admin API carry. */
final class Bodies {
    static final BsonInt32 NO_NUMBER = new BsonInt32(-1);

    private Bodies() {}

    /** @throws InvalidInputException when it is no JSON object */
    static BsonDocument json(ServerRequest request) {
        try {
            return BsonDocument.parse(
                    request.content().hasEntity() ? request.content().as(String.class) : "");
        } catch (JsonParseException | BsonInvalidOperationException bad) {
            throw new InvalidInputException("the body must be a JSON object");
        }
    }
}

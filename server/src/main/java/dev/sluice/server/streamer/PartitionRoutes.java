package dev.sluice.server.streamer;

import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.model.InvalidInputException;
import dev.sluice.server.http.Answers;
import dev.sluice.server.http.Json;
import dev.sluice.server.http.JsonBody;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import org.bson.BsonInt32;

/** {@code /admin/v1/partitions}: who has which, and how many there are to be. */
final class PartitionRoutes {
    private static final String PATH = "/admin/v1/partitions";
    private static final int MOST = 256;
    private static final BsonInt32 NO_NUMBER = new BsonInt32(-1);

    private final StreamerRole role;

    PartitionRoutes(StreamerRole role) {
        this.role = role;
    }

    void add(HttpRouting.Builder routes) {
        routes.get(PATH, (request, response) -> list(response)).put(PATH, this::resize);
    }

    private void list(ServerResponse response) {
        var group = role.group().status();
        Answers.json(
                response,
                Json.object(
                        "count", group.partitions(),
                        "configured", role.configuredPartitions(),
                        "generation", group.generation(),
                        "changing", group.changing(),
                        "partitions", Json.array(role.streamer().status().partitions(), StreamerAnswers::partition)));
    }

    private void resize(ServerRequest request, ServerResponse response) {
        try {
            var count = JsonBody.of(request).getInt32("partitions", NO_NUMBER).getValue();
            if (count < 1 || count > MOST) {
                throw new InvalidInputException("partitions is a number from 1 to " + MOST);
            }
            role.group().changePartitions(count);
            Answers.json(response, "partitions", count);
        } catch (InvalidInputException refused) {
            Answers.refuse(response, Status.BAD_REQUEST_400, String.valueOf(refused.getMessage()));
        } catch (StoreUnavailableException undecided) {
            Answers.refuse(
                    response,
                    Status.SERVICE_UNAVAILABLE_503,
                    "the store did not answer: look with sluice partitions whether the number has changed");
        }
    }
}

package dev.sluice.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.http.RequestBody;
import dev.sluice.run.Loops;
import dev.sluice.server.config.HttpEndpoint;
import dev.sluice.server.config.SluiceConfig;
import io.helidon.webserver.http.HttpRouting;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A body of the admin API has a bound, whether or not the request declares its length. */
@Timeout(30)
class JsonBodyTest {
    private static final NodePart COUNTS_MEMBERS = new NodePart() {
        @Override
        public String role() {
            return "test";
        }

        @Override
        public List<HealthPart> health() {
            return List.of();
        }

        @Override
        public void routes(HttpRouting.Builder routes) {
            routes.post(
                    "/count",
                    (request, response) -> Answers.json(
                            response, "members", JsonBody.of(request).size()));
        }

        @Override
        public BsonDocument status() {
            return new BsonDocument();
        }
    };

    private final HttpClient client = HttpClient.newHttpClient();
    private final NodeHttp http = NodeHttp.start(
            new NodeHttp.Endpoints(
                    new HttpEndpoint.Health("127.0.0.1", 0, "/health"),
                    new HttpEndpoint.Metrics("127.0.0.1", 0, "/metrics"),
                    SluiceConfig.defaults().security()),
            List.of(COUNTS_MEMBERS),
            new LoopHealth(new Loops()),
            () -> "",
            "test");

    @AfterEach
    void close() {
        client.close();
        http.close();
    }

    @Test
    void aBodyAboveTheBoundIsRefused() throws Exception {
        assertThat(post(BodyPublishers.ofString("{\"a\": 1, \"b\": 2}")).body()).contains("2");
        byte[] large = ("{\"a\": \"" + "x".repeat(RequestBody.LONGEST) + "\"}").getBytes(StandardCharsets.UTF_8);
        for (var body : List.of(
                BodyPublishers.ofByteArray(large),
                BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(large)))) {
            var answer = post(body);
            assertThat(answer.statusCode()).isEqualTo(413);
            assertThat(answer.body()).contains("error", "at most " + RequestBody.LONGEST + " bytes");
        }
    }

    private HttpResponse<String> post(BodyPublisher body) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + http.adminPort() + "/count"))
                .POST(body)
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
}

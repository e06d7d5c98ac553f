package dev.sluice.server.streamer;

import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.ServerResponse;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http2.Http2Config;
import java.util.List;
import java.util.concurrent.TimeUnit;

final class HttpChaosGateway {
    private static final int LONGER_THAN_ANYBODY_WAITS = 20;

    private HttpChaosGateway() {}

    static void start(int port, ChaosReceiver receiver) {
        WebServer.builder()
                .host("127.0.0.1")
                .port(port)
                .addProtocol(Http2Config.create())
                .addProtocol(Http1Config.create())
                .routing(routing -> routing.post("/internal/v1/streamer/events", (request, response) -> {
                    List<Received> batch = DeliveryJson.read(request.content().as(String.class));
                    answer(batch.size(), receiver.take(batch), response);
                }))
                .build()
                .start();
    }

    private static void answer(int events, GatewayAnswer answer, ServerResponse response) throws InterruptedException {
        switch (answer) {
            case GatewayAnswer.Taken taken -> response.send(DeliveryJson.acknowledgement(events, taken));
            case GatewayAnswer.Away away -> {
                if (away.status() == Status.TOO_MANY_REQUESTS_429.code()) {
                    response.header(HeaderNames.RETRY_AFTER, "1");
                }
                response.status(away.status()).send();
            }
            case GatewayAnswer.TooLarge tooLarge ->
                response.status(Status.REQUEST_ENTITY_TOO_LARGE_413).send();
            case GatewayAnswer.Stale stale ->
                response.status(Status.CONFLICT_409).send();
            case GatewayAnswer.Silence silence -> {
                TimeUnit.SECONDS.sleep(LONGER_THAN_ANYBODY_WAITS);
                response.send();
            }
        }
    }
}

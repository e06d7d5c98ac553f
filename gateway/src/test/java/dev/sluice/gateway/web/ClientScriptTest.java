package dev.sluice.gateway.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.StandInStreamer;
import dev.sluice.net.ListenAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The browser client as a gateway serves it; {@link BrowserClientTest} runs it. */
@Timeout(60)
class ClientScriptTest {
    private static final Path SOURCE = Path.of("src/main/resources/dev/sluice/gateway/web/sluice.js");
    private static final Path EXAMPLE = Path.of("..", "examples", "browser-client", "sluice.js");

    @Test
    void theExampleIsTheSameFile() throws Exception {
        assertThat(EXAMPLE)
                .as("the copy; after a change: cp gateway/%s examples/browser-client/", SOURCE)
                .hasSameTextualContentAs(SOURCE);
    }

    @Test
    void aGatewayServesItAsAModuleForPagesOfEveryOrigin() throws Exception {
        try (StandInStreamer streamer = new StandInStreamer();
                GatewayServer server = GatewayServer.start(
                        Gateway.builder("web").streamer(streamer.address()),
                        WebOptions.DEFAULT.at(ListenAddress.loopback(0)));
                HttpClient http = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/sluice.js"));
            HttpResponse<String> served = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            assertThat(served.statusCode()).isEqualTo(200);
            assertThat(served.body()).isEqualTo(Files.readString(SOURCE));
            assertThat(served.headers().firstValue("content-type")).contains("text/javascript; charset=utf-8");
            assertThat(served.headers().firstValue("access-control-allow-origin"))
                    .contains("*");
            assertThat(served.headers().firstValue("x-content-type-options")).contains("nosniff");
        }
    }
}

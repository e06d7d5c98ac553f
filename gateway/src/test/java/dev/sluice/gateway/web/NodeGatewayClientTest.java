package dev.sluice.gateway.web;

import static dev.sluice.gateway.StandInStreamer.await;
import static dev.sluice.gateway.StandInStreamer.marker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.StandInStreamer;
import dev.sluice.net.ListenAddress;
import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import dev.sluice.testkit.servers.FreePorts;
import dev.sluice.testkit.servers.NodeProgram;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The example in another language does what it says, by the published protocol alone. */
@Timeout(90)
class NodeGatewayClientTest {
    private static final Path EXAMPLE = Path.of("..", "examples", "node-gateway-client");
    private static final Duration SOON = Duration.ofSeconds(60);

    @Test
    void theNodeExamplePrintsChangesResumesAfterARestartAndIsToldToResync() throws Exception {
        NodeProgram node = node();
        int port = FreePorts.take();
        try (StandInStreamer streamer = new StandInStreamer()) {
            GatewayServer server = serve(streamer, port);
            try (ChildProcess client = start(node, port, "orders", "{\"n\": {\"$gte\": 1}}")) {
                client.awaitLine("^listening", SOON);
                await("it is subscribed", () -> streamer.subscriptions.size() == 1);
                assertThat(streamer.registrations.getFirst().getFilter()).isEqualTo("{\"n\": {\"$gte\": 1}}");
                streamer.deliver("web", id(streamer), "o1", 1, marker(150));
                client.awaitLine("^update orders/o1 \\{\"_id\":\"o1\",\"n\":1\\}", SOON);

                server.close();
                server = serve(streamer, port);
                assertResumed(streamer, client);
                streamer.deliverResync("web", id(streamer), 3, marker(152));
                client.awaitLine("^resync: ", SOON);
            } finally {
                server.close();
            }
        }
    }

    @Test
    void theNodeExampleSaysWhatIsWrong() throws Exception {
        NodeProgram node = node();
        int port = FreePorts.take();
        try (StandInStreamer streamer = new StandInStreamer();
                GatewayServer server = serve(streamer, port);
                ChildProcess client = start(node, server.port(), "orders", "{\"$where\": 1}")) {
            client.awaitLine("\\$where", SOON);
            assertThat(client.awaitExit(SOON)).isOne();
        }
    }

    @Test
    void byWebSocketItResumesTooWithTheBrowsersClient() throws Exception {
        NodeProgram node = node();
        assumeTrue(hasWebSocket(node), "needs Node.js 20.10 or newer on the PATH: install it to test the example");
        int port = FreePorts.take();
        try (StandInStreamer streamer = new StandInStreamer()) {
            GatewayServer server = serve(streamer, port);
            try (ChildProcess client = start(node, port, "--experimental-websocket", "client.mjs", "--websocket")) {
                client.awaitLine("^listening", SOON);
                streamer.deliver("web", id(streamer), "o1", 1, marker(150));
                client.awaitLine("^update orders/o1 ", SOON);
                server.close();
                server = serve(streamer, port);
                assertResumed(streamer, client);
            } finally {
                server.close();
            }
        }
    }

    private static void assertResumed(StandInStreamer streamer, ChildProcess client) throws Exception {
        await("it is subscribed again", () -> streamer.subscriptions.size() == 1);
        assertThat(streamer.registrations.getLast().getFrom()).isEqualTo(marker(150));
        streamer.deliver("web", id(streamer), "o2", 2, marker(151));
        client.awaitLine("^update orders/o2 ", SOON);
    }

    private static boolean hasWebSocket(NodeProgram node) throws Exception {
        return new ProcessBuilder(node.node().toString(), "--experimental-websocket", "-e", "new WebSocket('ws://0:1')")
                        .start()
                        .waitFor()
                == 0;
    }

    private static NodeProgram node() {
        var node = NodeProgram.find();
        assumeTrue(node.isPresent(), "needs Node.js 18 or newer on the PATH: install it to test the example");
        return node.get();
    }

    private static GatewayServer serve(StandInStreamer streamer, int port) throws Exception {
        streamer.gateways.clear();
        GatewayServer server = GatewayServer.start(
                Gateway.builder("web").streamer(streamer.address()),
                WebOptions.DEFAULT.at(ListenAddress.loopback(port)));
        await("it is registered", () -> streamer.gateways.containsKey("web"));
        return server;
    }

    private static ChildProcess start(NodeProgram node, int port, String flag, String script, String by) {
        return ChildProcess.start(ProcessSpec.of(
                        "node-gateway-client",
                        node.node().toString(),
                        flag,
                        script,
                        by,
                        "http://127.0.0.1:" + port,
                        "orders")
                .in(EXAMPLE));
    }

    private static ChildProcess start(NodeProgram node, int port, String collection, String filter) {
        return ChildProcess.start(ProcessSpec.of(
                        "node-gateway-client",
                        node.node().toString(),
                        "client.mjs",
                        "http://127.0.0.1:" + port,
                        collection,
                        filter)
                .in(EXAMPLE));
    }

    private static String id(StandInStreamer streamer) {
        return streamer.subscriptions.keySet().iterator().next();
    }
}

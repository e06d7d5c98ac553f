package dev.sluice.gateway.web;

import static dev.sluice.gateway.StandInStreamer.await;
import static dev.sluice.gateway.StandInStreamer.marker;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.StandInStreamer;
import dev.sluice.net.ListenAddress;
import dev.sluice.testkit.servers.Chromium;
import dev.sluice.testkit.servers.ChromiumPage;
import dev.sluice.testkit.servers.FreePorts;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The page in a real browser. The pictures are kept in target/screenshots. */
@Timeout(180)
class TryPageTest {
    private static final Path PICTURES = Path.of("target", "screenshots");

    private static Chromium chromium;

    private StandInStreamer streamer;
    private int port;
    private GatewayServer server;

    @BeforeAll
    static void browser() {
        chromium = Chromium.start();
    }

    @AfterAll
    static void noBrowser() {
        chromium.close();
    }

    @BeforeEach
    void start() throws Exception {
        streamer = new StandInStreamer();
        port = FreePorts.take();
        server = serve();
    }

    private GatewayServer serve() throws Exception {
        streamer.gateways.clear();
        GatewayServer started = GatewayServer.start(
                Gateway.builder("web").streamer(streamer.address()),
                WebOptions.DEFAULT.at(ListenAddress.loopback(port)));
        await("it is registered", () -> streamer.gateways.containsKey("web"));
        return started;
    }

    @AfterEach
    void stop() {
        server.close();
        streamer.close();
    }

    private ChromiumPage open(String query) {
        return chromium.open("http://127.0.0.1:" + port + "/try" + query);
    }

    private String subscribed() throws Exception {
        await("it is subscribed", () -> streamer.subscriptions.size() == 1);
        return streamer.subscriptions.keySet().iterator().next();
    }

    private static void awaitState(ChromiumPage page, String state) throws InterruptedException {
        page.await("document.getElementById('state').dataset.state === '" + state + "'");
    }

    private static void awaitShown(ChromiumPage page, String text) throws InterruptedException {
        page.await("document.getElementById('events').innerText.includes('" + text + "')");
    }

    @Test
    void changesAppearByServerSentEventsAndGoOnAfterARestartOfTheGateway() throws Exception {
        try (ChromiumPage page = open("?collection=orders&tenant=acme")) {
            page.evaluate("document.getElementById('filter').value = '{\"n\": {\"$gte\": 1}}'");
            page.evaluate("document.getElementById('go').click()");
            awaitState(page, "live");
            String id = subscribed();
            assertThat(streamer.subscriptions.get(id).getFilter()).isEqualTo("{\"n\": {\"$gte\": 1}}");
            for (int seq = 1; seq <= 3; seq++) {
                streamer.deliver("web", id, "order-" + seq, seq, marker(200 + seq));
            }
            streamer.deliver("web", id, "<img src=x onerror=alert(1)>", 4, marker(204));
            awaitShown(page, "orders/<img src=x onerror=alert(1)>");
            assertThat(page.text("document.getElementById('count').textContent"))
                    .isEqualTo("4 changes");
            streamer.deliverResync("web", id, 5, marker(205));
            awaitShown(page, "Read the current state again: changes are missing");
            page.prefersDark(false);
            page.screenshot(PICTURES.resolve("try-light.png"));
            page.prefersDark(true);
            page.screenshot(PICTURES.resolve("try-dark.png"));
            assertThat(page.errors()).isEmpty();

            server.close();
            awaitState(page, "connecting");
            server = serve();
            awaitState(page, "live");
            String again = subscribed();
            assertThat(streamer.subscriptions.get(again).getFrom()).isEqualTo(marker(205));
            streamer.deliver("web", again, "order-3", 3, marker(205));
            streamer.deliver("web", again, "order-6", 6, marker(206));
            awaitShown(page, "orders/order-6");
            assertThat(page.text("document.getElementById('count').textContent"))
                    .isEqualTo("5 changes");
        }
    }

    @Test
    void changesAppearByWebSocket() throws Exception {
        try (ChromiumPage page = open("?collection=orders&by=ws")) {
            page.evaluate("document.getElementById('go').click()");
            awaitState(page, "live");
            streamer.deliver("web", subscribed(), "order-1", 1, marker(201));
            awaitShown(page, "orders/order-1");
            page.evaluate("document.getElementById('stop').click()");
            awaitState(page, "off");
            await("its subscription is gone", () -> streamer.subscriptions.isEmpty());
            assertThat(page.errors()).isEmpty();
        }
    }

    @Test
    void whatIsWrongIsShown() throws Exception {
        try (ChromiumPage page = open("?collection=orders")) {
            page.evaluate("document.getElementById('filter').value = '{\"$where\": 1}'");
            page.evaluate("document.getElementById('go').click()");
            awaitState(page, "failed");
            awaitShown(page, "$where");
            page.evaluate("document.getElementById('by').value = 'ws'");
            page.evaluate("document.getElementById('clear').click()");
            page.evaluate("document.getElementById('go').click()");
            awaitState(page, "failed");
            awaitShown(page, "$where");
            page.prefersDark(false);
            page.screenshot(PICTURES.resolve("try-error.png"));
        }
    }
}

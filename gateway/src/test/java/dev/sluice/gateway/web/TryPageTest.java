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

    /** As the demo writes them, 20 in a second: what has to be read may neither flicker nor fill the window with one event. */
    @Test
    void manyChangesAreOneLineEachThatExpandsAndHoldsStillMeanwhile() throws Exception {
        try (ChromiumPage page = open("?collection=orders")) {
            page.evaluate(
                    "for (let n = 1; n <= 40; n++) change({id: 'e' + n, type: ['insert', 'update', 'delete'][n % 3],"
                            + " tenant: 'acme', collection: 'orders', documentId: 'acme:order-' + n, timestamp: n, lookup: n % 3 === 1,"
                            + " document: n % 3 === 2 ? null : {_id: 'acme:order-' + n, state: 'shipped', item: 'tea', quantity: 3,"
                            + " note: '<b>all good</b> '.repeat(9)}})");
            page.await("document.querySelectorAll('#events li').length === 40");
            assertThat(page.text("document.querySelectorAll('#events li.new').length"))
                    .isEqualTo("4");
            picture(page, "try-many-wide", 1100, 900, false);
            picture(page, "try-many-80-columns", 640, 800, true);
            picture(page, "try-many-phone", 360, 740, false);
            assertThat(page.text("document.documentElement.scrollWidth <= innerWidth"))
                    .as("nothing sticks out to the right")
                    .isEqualTo("true");
            for (int width : new int[] {360, 640, 1100}) {
                page.size(width, 800);
                assertThat(
                                page.text(
                                        "[...document.querySelectorAll('#events li')].filter(row => row.offsetHeight > 36).length"))
                        .as("rows of more than a line in a window of " + width)
                        .isEqualTo("0");
            }
            page.evaluate("document.querySelector('#events summary').click()");
            page.await("document.querySelector('#events pre').innerText.includes('\"documentId\": \"acme:order-40\"')");
            page.evaluate(
                    "change({id: 'late', type: 'insert', collection: 'orders', documentId: 'late', document: {}})");
            page.await("document.getElementById('held').innerText.includes('Paused while a row is open: 1 new.')");
            picture(page, "try-open", 1100, 900, true);
            assertThat(page.text("document.querySelector('#events .what').innerText"))
                    .isEqualTo("orders/acme:order-40");
            page.evaluate("document.querySelector('#events summary').click()");
            page.await("document.querySelector('#events .what').innerText === 'orders/late'");
            assertThat(page.errors()).isEmpty();
        }
    }

    private static void picture(ChromiumPage page, String name, int width, int height, boolean dark) throws Exception {
        page.size(width, height);
        page.prefersDark(dark);
        page.screenshot(PICTURES.resolve(name + ".png"));
    }

    @Test
    void changesAppearByWebSocketAndGoOnAfterARestartOfTheGateway() throws Exception {
        try (ChromiumPage page = open("?collection=orders&by=ws")) {
            page.evaluate("document.getElementById('go').click()");
            awaitState(page, "live");
            String id = subscribed();
            streamer.deliver("web", id, "order-1", 1, marker(201));
            awaitShown(page, "orders/order-1");
            assertThat(page.errors()).isEmpty();

            server.close();
            awaitState(page, "connecting");
            server = serve();
            awaitState(page, "live");
            await("it is subscribed again", () -> streamer.registrations.size() == 2);
            String again = subscribed();
            assertThat(streamer.subscriptions.get(again).getFrom()).isEqualTo(marker(201));
            streamer.deliver("web", again, "order-2", 2, marker(202));
            awaitShown(page, "orders/order-2");
            assertThat(page.text("document.getElementById('events').innerText"))
                    .doesNotContain("Read the current state again");
            page.evaluate("document.getElementById('stop').click()");
            awaitState(page, "off");
            await("its subscription is gone", () -> streamer.subscriptions.isEmpty());
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

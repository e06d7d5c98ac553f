package dev.sluice.gateway.web;

import static dev.sluice.gateway.StandInStreamer.await;
import static dev.sluice.gateway.StandInStreamer.marker;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.SimpleFileServer;
import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.StandInStreamer;
import dev.sluice.grpc.streamer.v1.Subscription;
import dev.sluice.model.ProgressMarker;
import dev.sluice.net.ListenAddress;
import dev.sluice.testkit.faults.Direction;
import dev.sluice.testkit.faults.Fault;
import dev.sluice.testkit.faults.FaultProxy;
import dev.sluice.testkit.servers.Chromium;
import dev.sluice.testkit.servers.ChromiumPage;
import dev.sluice.testkit.time.VirtualClock;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code sluice.js} in a real browser, loaded from a running gateway through a network that breaks. */
@Timeout(180)
class BrowserClientTest {
    private static final Duration QUICK_PING = Duration.ofMillis(100);
    private static final int BEFORE_THE_FIRST = 100;
    private static final Path EXAMPLE = Path.of("..", "examples", "browser-client");

    private static Chromium chromium;

    private final VirtualClock time = new VirtualClock();
    private final Clock clock = time.withZone(ZoneOffset.UTC);
    private StandInStreamer streamer;
    private GatewayServer server;
    private FaultProxy network;

    @BeforeAll
    static void browser() {
        chromium = Chromium.start();
    }

    @AfterAll
    static void noBrowser() {
        chromium.close();
    }

    private void start(Duration ping, Authenticator authenticator) throws Exception {
        start(ping, authenticator, Set.of());
    }

    private void start(Duration ping, Authenticator authenticator, Set<String> origins) throws Exception {
        streamer = new StandInStreamer();
        server = GatewayServer.start(
                Gateway.builder("web").streamer(streamer.address()),
                WebOptions.DEFAULT
                        .at(ListenAddress.loopback(0))
                        .within(new WebLimits(20, 20, 10, 64 << 10, 1000, 4 << 20, ping))
                        .authenticatedBy(authenticator)
                        .forPagesOf(origins),
                clock);
        await("it is registered", () -> streamer.gateways.containsKey("web"));
        network = FaultProxy.inFrontOf(server.port());
    }

    @AfterEach
    void stop() {
        network.close();
        server.close();
        streamer.close();
    }

    /** A page with a client; {@code got} has the numbers of the events it was told. */
    private ChromiumPage page(String options) {
        return page(options, "");
    }

    private ChromiumPage page(String options, String before) {
        ChromiumPage page = chromium.open("http://127.0.0.1:" + network.port() + "/try");
        page.evaluate("""
                import('/sluice.js').then(({ Sluice }) => {
                  %s
                  window.got = []; window.resyncs = []; window.errors = []; window.states = []; window.subscribed = 0;
                  window.orders = { collection: 'orders', onEvent: (event) => got.push(event.document.n),
                    onResync: (reason) => resyncs.push(reason), onError: (reason) => errors.push(reason),
                    onSubscribed: () => { subscribed += 1; } };
                  window.sluice = new Sluice(undefined, { backoff: { base: 20, max: 50 },
                    onState: (state, reason) => states.push(state + ' ' + reason), %s });
                })""".formatted(before, options));
        return page;
    }

    private static void subscribe(ChromiumPage page) throws Exception {
        page.evaluate("window.first = sluice.subscribe(orders), true");
        page.await("subscribed === 1");
    }

    private Subscription registration(int count) throws Exception {
        await("registration " + count, () -> streamer.registrations.size() >= count);
        return streamer.registrations.get(count - 1);
    }

    /** The lowest of a gateway's markers is some events behind, so that after a cut some come again. */
    private void deliver(Subscription to, int n, String padding) throws Exception {
        String progress = marker(BEFORE_THE_FIRST + n - n % 4);
        String document = "order-" + n % 3 + padding;
        assertThat(streamer.deliver("web", to.getId(), document, n, progress)).startsWith("200 ");
    }

    private static int firstOf(Subscription registered) {
        String from = registered.getFrom();
        return from.isEmpty()
                ? 1
                : (int) ProgressMarker.decode(from)
                                .positions()
                                .get("shop")
                                .time()
                                .i()
                        - BEFORE_THE_FIRST
                        + 1;
    }

    @Test
    void everyEventArrivesOnceAndInOrderThoughTheConnectionIsCutInMidFrame() throws Exception {
        start(Duration.ofSeconds(10), Authenticator.ANYBODY);
        int events = 60;
        // Before these events, so many bytes of the next message still pass: in its head, its only frame, its third
        // frame.
        Map<Integer, Integer> cuts = new HashMap<>(Map.of(2, 3, 7, 700, 8, 1, 19, 2500, 30, 36_000, 31, 50, 58, 4000));
        int repeats = 0;
        try (ChromiumPage page = page("")) {
            subscribe(page);
            int n = 0;
            for (int registered = 1; n <= events; registered++) {
                Subscription to = registration(registered);
                assertThat(to.getFrom().isEmpty()).as("it resumes").isEqualTo(registered == 1);
                repeats += n == 0 ? 0 : n - firstOf(to);
                n = firstOf(to);
                while (n <= events && !cuts.containsKey(n)) {
                    deliver(to, n++, "");
                }
                if (n <= events) {
                    page.await("got.length >= " + (n - 1));
                    network.set(Direction.TO_CLIENT, new Fault.CutAfter(cuts.remove(n)));
                    deliver(to, n, "x".repeat(n == 30 ? 30_000 : 3_000));
                }
            }
            page.await("got.length >= " + events);
            assertThat(page.text("got"))
                    .isEqualTo(IntStream.rangeClosed(1, events)
                            .mapToObj(Integer::toString)
                            .collect(Collectors.joining(",")));
            assertThat(repeats).as("events that came again and were left out").isPositive();
            assertThat(streamer.registrations).hasSize(8);
            assertThat(page.text("resyncs.length + errors.length")).isEqualTo("0");
            assertThat(page.text("first.lastEventId")).isEqualTo(marker(BEFORE_THE_FIRST + events));
        }
    }

    @Test
    void anExpiredTokenIsReplacedAndTheSubscriptionResumes() throws Exception {
        start(QUICK_PING, JwtAuthenticator.hs256(Tokens.SECRET, clock));
        String tokens = List.of(token(60), token(30), token(3600)).stream()
                .map(token -> "'" + token + "'")
                .collect(Collectors.joining(","));
        try (ChromiumPage page = page("token: () => window.tokens.shift()", "window.tokens = [" + tokens + "];")) {
            subscribe(page);
            deliver(registration(1), 4, "");
            page.await("got.length === 1");
            // The first token ends the connection, the second is refused in the handshake.
            time.advance(Duration.ofSeconds(61));
            Subscription again = registration(2);
            assertThat(again.getFrom()).isEqualTo(marker(104));
            deliver(again, 5, "");
            page.await("got.length === 2");
            assertThat(page.text("tokens.length")).isEqualTo("0");
            assertThat(page.text("states.filter((each) => each === 'waiting your token has expired').length"))
                    .isEqualTo("2");
        }
    }

    private String token(int seconds) throws Exception {
        long until = clock.instant().plusSeconds(seconds).getEpochSecond();
        return Tokens.hs256("{\"sub\":\"ann\",\"tenant\":\"acme\",\"exp\":" + until + "}");
    }

    @Test
    void aTokenThatCannotBeReplacedEndsTheClientWithTheReason() throws Exception {
        start(QUICK_PING, JwtAuthenticator.hs256(Tokens.SECRET, clock));
        // Before the client can have failed, which takes no more subscriptions.
        String subscribe = "queueMicrotask(() => sluice.subscribe(orders));";
        try (ChromiumPage page = page("token: '" + token(-5) + "'", subscribe)) {
            page.await("sluice.state === 'failed'");
            assertThat(page.text("errors")).isEqualTo("your token has expired");
        }
    }

    @Test
    void missingChangesAreToldOnce() throws Exception {
        start(QUICK_PING, Authenticator.ANYBODY);
        try (ChromiumPage page = page("")) {
            subscribe(page);
            deliver(registration(1), 1, "");
            page.await("got.length === 1");
            network.cut();
            streamer.oldest = BEFORE_THE_FIRST + 50;
            streamer.progress = marker(BEFORE_THE_FIRST + 60);
            page.await("sluice.state === 'waiting'");
            network.heal();
            page.await("resyncs.length === 1");
            deliver(registration(2), 61, "");
            page.await("got.length === 2");
            streamer.deliverResync("web", registration(2).getId(), 62, marker(200));
            page.await("resyncs.length === 2");
            assertThat(page.text("resyncs")).isEqualTo("older than what is kept,changes are missing");
            assertThat(page.text("first.lastEventId")).isEqualTo(marker(200));
        }
    }

    @Test
    void aNetworkThatSwallowsEverythingIsNoticed() throws Exception {
        start(QUICK_PING, Authenticator.ANYBODY);
        try (ChromiumPage page = page("")) {
            subscribe(page);
            network.set(new Fault.Swallow());
            page.await("states.some((each) => each.startsWith('waiting nothing was heard'))");
            network.heal();
            assertThat(registration(2).getFrom())
                    .as("it resumes without having got an event")
                    .isEqualTo(marker(BEFORE_THE_FIRST));
            deliver(registration(2), 1, "");
            page.await("got.length === 1");
        }
    }

    @Test
    void subscriptionsEndByThemselves() throws Exception {
        start(QUICK_PING, Authenticator.ANYBODY);
        try (ChromiumPage page = page("")) {
            subscribe(page);
            page.evaluate("sluice.subscribe({ ...orders, filter: { $where: 1 } }), true");
            page.await("errors.length === 1");
            assertThat(page.text("errors")).contains("$where");
            streamer.answersAreLost = true;
            page.evaluate("window.second = sluice.subscribe({ ...orders, filter: { n: 1 } }), true");
            registration(3); // the client has asked again
            streamer.answersAreLost = false;
            page.await("subscribed === 2");
            page.evaluate("first.unsubscribe()");
            await("one is left", () -> streamer.subscriptions.size() == 1);
            assertThat(streamer.subscriptions.values().iterator().next().getFilter())
                    .isEqualTo("{\"n\":1}");
            page.evaluate("sluice.close()");
            await("none is left", () -> streamer.subscriptions.isEmpty() && server.connections() == 0);
            assertThat(page.text("sluice.state")).isEqualTo("closed");
        }
    }

    @Test
    void theExampleShowsOrdersOnAPageOfAnotherOriginThatIsListed() throws Exception {
        HttpServer pages = SimpleFileServer.createFileServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                EXAMPLE.toAbsolutePath().normalize(),
                SimpleFileServer.OutputLevel.NONE);
        pages.start();
        String origin = "http://127.0.0.1:" + pages.getAddress().getPort();
        start(QUICK_PING, Authenticator.ANYBODY, Set.of(origin));
        String query = "/?collection=orders&gateway=http://127.0.0.1:" + network.port();
        try (ChromiumPage page = chromium.open(origin + query)) {
            page.await("document.getElementById('state').innerText === 'live'");
            deliver(registration(1), 1, "");
            page.await("document.getElementById('orders').innerText === '{\"_id\":\"order-1\",\"n\":1}'");
            assertThat(page.errors()).isEmpty();
            page.evaluate("location.href = location.href.replace('127.0.0.1', 'localhost')");
            page.await("document.getElementById('orders')?.innerText.startsWith('pages of this origin may not read')");
        } finally {
            pages.stop(0);
        }
    }

    /** A page with a gateway that is played in the browser itself. */
    private ChromiumPage simulation() throws Exception {
        start(QUICK_PING, Authenticator.ANYBODY);
        ChromiumPage page = chromium.open("http://127.0.0.1:" + network.port() + "/try");
        try (InputStream script =
                Objects.requireNonNull(BrowserClientTest.class.getResourceAsStream("client-simulation.js"))) {
            page.evaluate(new String(script.readAllBytes(), StandardCharsets.UTF_8) + "; true");
        }
        return page;
    }

    private static String run(ChromiumPage page, String body) {
        return page.evaluate("(async () => {" + body + "})().then(String)")
                .asString()
                .getValue();
    }

    private static String simulated(ChromiumPage page, int seeds, String log) {
        return run(page, """
                const all = { lost: 0, stale: 0, repeated: 0 };
                for (let seed = 1; seed <= %d; seed++) {
                  const one = await simulate(seed, %s);
                  for (const each of Object.keys(all)) all[each] += one[each];
                }
                return JSON.stringify(all);
                """.formatted(seeds, log));
    }

    @Test
    void noCutLosesOrRepeatsAnEvent() throws Exception {
        try (ChromiumPage page = simulation()) {
            assertThat(simulated(page, 100, "{ events: 200, documents: 12, partitions: 3, cuts: 8 }"))
                    .isEqualTo("{\"lost\":0,\"stale\":0,\"repeated\":0}");
        }
    }

    /** More comes again than the client remembers: then it shows events again, but never an old state of a document last. */
    @Test
    void repeatsBeyondWhatIsRememberedEndWithTheNewestState() throws Exception {
        try (ChromiumPage page = simulation()) {
            assertThat(simulated(page, 5, "{ events: 9000, documents: 3000, partitions: 3, cuts: 4, stalled: true }"))
                    .startsWith("{\"lost\":0,\"stale\":0,\"repeated\":")
                    .doesNotEndWith(":0}");
        }
    }

    /** Each partition sends its own copy, and what came behind one is due again behind the next. */
    @Test
    void eventsThatConcernACollectionAreNeverTakenForRepeats() throws Exception {
        try (ChromiumPage page = simulation()) {
            assertThat(run(page, """
                    const { sluice, socket } = await playedClient();
                    const told = [];
                    sluice.subscribe({ collection: 'orders', onEvent: ({ id, type }) => told.push(id + type) });
                    const { id } = socket.open();
                    for (const type of ['insert', 'insert', 'drop', 'drop', 'insert', 'insert']) {
                      const event = { id: type[0], type, collection: 'orders', documentId: type === 'drop' ? '' : 'a' };
                      socket.tell({ id, event });
                    }
                    return told;
                    """)).isEqualTo("iinsert,ddrop,ddrop,iinsert");
        }
    }

    @Test
    void pausesBetweenAttemptsGrowAndAreRandom() throws Exception {
        try (ChromiumPage page = simulation()) {
            assertThat(run(page, """
                    Math.random = () => 0.5;
                    const played = await playedClient({ backoff: { base: 1000, max: 30000 } });
                    for (let attempt = 0; attempt < 8; attempt++) {
                      PlayedSocket.all.at(-1).open();
                      PlayedSocket.all.at(-1).cut();
                      played.next();
                    }
                    return pauses;
                    """)).isEqualTo("500,1000,2000,4000,8000,15000,15000,15000");
        }
    }

    /** It would resume nothing and not know. */
    @Test
    void aGatewayThatDoesNotKnowTheVersionIsNotTalkedTo() throws Exception {
        try (ChromiumPage page = simulation()) {
            assertThat(run(page, """
                    const states = [];
                    const { sluice, socket } = await playedClient({ onState: (...now) => states.push(now.join(': ')) });
                    socket.readyState = 1;
                    socket.onopen();
                    socket.tell({ id: '', error: '"id" is yours to choose' });
                    return [...states, socket.readyState];
                    """))
                    .isEqualTo(
                            "waiting: the gateway does not speak version 1 of the protocol: \"id\" is yours to choose,3");
        }
    }

    /** The answer without a WebSocket says only that one may be opened. */
    @Test
    void aProxyThatBlocksWebSocketsIsNamed() throws Exception {
        try (ChromiumPage page = simulation()) {
            assertThat(run(page, """
                    window.fetch = async () => ({ status: 426, text: async () => 'open a WebSocket' });
                    return new Promise((waiting) => {
                      playedClient({ onState: (...now) => waiting(now.join(': ')) }).then(({ socket }) => socket.cut());
                    });
                    """))
                    .isEqualTo("waiting: no WebSocket, though the gateway lets this client in: does a proxy block it?");
        }
    }

    /** Else a timer set behind the callback would connect again. */
    @Test
    void aClientClosedInACallbackStaysClosed() throws Exception {
        try (ChromiumPage page = simulation()) {
            for (String state : List.of("connecting", "live", "waiting")) {
                assertThat(run(page, """
                        const played = await playedClient({ onState: (now) => now === '%s' && played.sluice.close() });
                        PlayedSocket.all.at(-1).open();
                        if (played.sluice.state !== 'closed') PlayedSocket.all.at(-1).cut();
                        const sockets = PlayedSocket.all.length;
                        played.next();
                        played.next();
                        return played.sluice.state + ' ' + (PlayedSocket.all.length - sockets);
                        """.formatted(state)))
                        .as("closed when %s", state)
                        .isEqualTo("closed 0");
            }
        }
    }

    @Test
    void withoutAnIdToResumeFromTheClientSaysResync() throws Exception {
        try (ChromiumPage page = simulation()) {
            assertThat(run(page, """
                    const { sluice, socket, next } = await playedClient();
                    const resyncs = [];
                    sluice.subscribe({ collection: 'orders', onEvent: () => {}, onResync: (reason) => resyncs.push(reason) });
                    socket.tell({ id: socket.open().id, subscribed: true });
                    socket.cut();
                    const again = next();
                    again.tell({ id: again.open().id, subscribed: true });
                    return resyncs;
                    """)).isEqualTo("the gateway gave no id to resume from");
        }
    }
}

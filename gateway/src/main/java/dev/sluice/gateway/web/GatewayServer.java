package dev.sluice.gateway.web;

import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.GatewayBuilder;
import dev.sluice.gateway.GatewayCounters;
import dev.sluice.gateway.HelidonTls;
import dev.sluice.net.Listening;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.websocket.WsConfig;
import io.helidon.webserver.websocket.WsRouting;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.Optional;

/**
 * A gateway for end users: {@code GET /v1/subscribe} (WebSocket), {@code GET /v1/events} (server-sent events), {@code GET
 * /sluice.js} (the browser client), {@code GET /try} (a page to try them). Subscriptions end with their connections, and with
 * this process. A client that comes again with its last id ({@code lastEventId}, {@code Last-Event-ID}) misses nothing, or is
 * told to resync.
 */
public final class GatewayServer implements AutoCloseable {
    /** A filter and a marker of many backends have room in a request's line and headers. */
    private static final int LONGEST_LINE = 128 << 10;

    private final Gateway gateway;
    private final Seats seats;
    private final Connections connections;
    private final WebServer server;

    private GatewayServer(GatewayBuilder builder, WebOptions options, InetSocketAddress permitted, Clock clock) {
        this.gateway = builder.forgetEarlierSubscriptions().start();
        this.seats = new Seats(options.limits().connections(), options.limits().connectionsPerAddress());
        this.connections = new Connections(
                gateway.id(),
                options.limits().queuedBytesInAll(),
                options.limits().ping());
        try {
            this.server = listen(options, permitted, clock);
        } catch (RuntimeException failed) {
            connections.close();
            gateway.close();
            throw failed;
        }
    }

    /**
     * Starts both: the gateway, and the listener for end users.
     *
     * @throws dev.sluice.net.BindRefusedException when an address may not be listened on
     */
    public static GatewayServer start(GatewayBuilder gateway, WebOptions options) {
        return start(gateway, options, Clock.systemUTC());
    }

    /** @param clock tells when a connection's token has expired */
    static GatewayServer start(GatewayBuilder gateway, WebOptions options, Clock clock) {
        return new GatewayServer(
                gateway, options, Listening.permit("gateway.address", options.address(), options.protection()), clock);
    }

    private WebServer listen(WebOptions options, InetSocketAddress permitted, Clock clock) {
        Origins origins = new Origins(options.origins(), permitted.getAddress().isLoopbackAddress());
        Doorkeeper door = new Doorkeeper(origins, options.authenticator());
        var events = new EventsRoute(gateway, door, seats, options.limits(), connections, clock);
        var setting = new SocketConnection.Setting(gateway, door, seats, options.limits(), connections, clock);
        var builder = WebServer.builder()
                .address(permitted.getAddress())
                .port(permitted.getPort())
                .shutdownHook(false)
                .maxTcpConnections(2 * options.limits().connections())
                // Helidon's NIO sockets hold a read and a write buffer of 8 KiB each, its plain ones only the former.
                .useNio(false)
                .connectionOptions(socket -> socket.tcpNoDelay(true))
                // Not HTTP/2: there Helidon does not say when a client leaves a stream, whose subscription would live
                // on.
                .protocolsDiscoverServices(false)
                .addProtocol(Http1Config.builder()
                        .maxPrologueLength(LONGEST_LINE)
                        .maxHeadersSize(LONGEST_LINE)
                        .build())
                .addProtocol(WsConfig.builder()
                        .maxFrameLength(options.limits().messageBytes())
                        .build())
                .routing(HttpRouting.builder()
                        .get("/v1/events", events)
                        .options("/v1/events", events::allow)
                        .get("/v1/subscribe", new HandshakeCheck(door))
                        .get("/sluice.js", new ClientScript())
                        .get("/try", new TryPage()))
                .addRouting(WsRouting.builder().endpoint("/v1/subscribe", () -> new SocketConnection(setting)));
        HelidonTls.of(options.tls()).ifPresent(builder::tls);
        return builder.build().start();
    }

    public int port() {
        return server.port();
    }

    /** What it received. */
    public GatewayCounters counters() {
        return gateway.counters();
    }

    /** How many end users are connected. */
    public int connections() {
        return seats.taken();
    }

    /** What happened to end users. */
    public WebCounters web() {
        return connections.counters();
    }

    /** How many were cut off because they were too slow. */
    public long cutOffs() {
        return web().cutOffs();
    }

    /** Why its Streamer does not know it, or its subscriptions, at present; empty when all is well. */
    public Optional<String> problem() {
        return gateway.problem();
    }

    /** Whether its Streamer has known it since it started: before, no end user can be served. */
    public boolean isRegistered() {
        return gateway.isRegistered();
    }

    public String id() {
        return gateway.id();
    }

    /** How many bytes wait for them; an event that waits for many counts once. */
    public long queuedBytes() {
        return connections.queued().bytes();
    }

    /** How many subscriptions they have. */
    public int subscriptions() {
        return gateway.subscriptions();
    }

    /** Ends all connections; their clients come again. Closing twice is harmless. */
    @Override
    public void close() {
        connections.close();
        server.stop();
        gateway.close();
    }
}

package dev.sluice.http;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.testkit.contract.GatewayReplies;
import dev.sluice.testkit.contract.NetworkedGateway;
import dev.sluice.testkit.contract.Received;
import dev.sluice.testkit.servers.SelfSigned;
import io.helidon.common.configurable.Resource;
import io.helidon.common.pki.Keys;
import io.helidon.common.tls.Tls;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Helidon with HTTP/2, as gateways have it, behind a network that can be turned bad. */
final class HttpTestGateway extends NetworkedGateway {
    private record Garbage(int status, String body) {}

    private static final List<Garbage> GARBAGE = List.of(
            new Garbage(200, "{\"accepted\":2,\"rejections\":[{\"index\":2,\"reason\":\"there is none\"}]}"),
            new Garbage(200, "{\"rejections\":[{\"index\":-1,\"reason\":\"\"}]}"),
            new Garbage(200, "{\"rejections\":[{\"reason\":\"which?\"}]}"),
            new Garbage(200, "{\"rejections\":\"all\"}"),
            new Garbage(200, "{\"accepted\":2,\"rejec"),
            new Garbage(200, "{\"a\":".repeat(50_000)),
            new Garbage(200, "{\"rejections\":[],\"filling\":\"" + "x".repeat(2 << 20) + "\"}"),
            new Garbage(200, "{\"accepted\":1}"),
            new Garbage(200, "{\"error\":\"no such route\"}"),
            new Garbage(200, "{}"),
            new Garbage(200, "<html><body>Please sign in</body></html>"),
            new Garbage(200, "ok"),
            new Garbage(204, ""),
            new Garbage(302, "elsewhere"),
            new Garbage(401, "who are you?"),
            new Garbage(404, "no such page"),
            new Garbage(429, "slower"),
            new Garbage(500, "x".repeat(100_000)),
            new Garbage(599, ""));

    private final WebServer server;
    private final String scheme;
    final Set<String> protocols = ConcurrentHashMap.newKeySet();
    final Set<String> peers = ConcurrentHashMap.newKeySet();
    final Set<String> headers = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Garbage garbage;

    /** @param own certificate and key: then with TLS */
    HttpTestGateway(Optional<SelfSigned> own) {
        scheme = own.isPresent() ? "https" : "http";
        var builder = WebServer.builder()
                .address(InetAddress.getLoopbackAddress())
                .port(0)
                .shutdownHook(false)
                .connectionOptions(options -> options.tcpNoDelay(true))
                .routing(HttpRouting.builder().post(HttpDeliverer.PATH, this::receive));
        own.ifPresent(pair -> builder.tls(tls(pair)));
        server = builder.build().start();
        listensAt(server.port());
    }

    private static Tls tls(SelfSigned own) {
        Keys keys = Keys.builder()
                .pem(pem -> pem.certChain(Resource.create(own.certificate())).key(Resource.create(own.key())))
                .build();
        return Tls.builder().privateKey(keys).privateKeyCertChain(keys).build();
    }

    private void receive(ServerRequest request, ServerResponse response) {
        protocols.add(request.prologue().protocol() + "/" + request.prologue().protocolVersion());
        peers.add(request.remotePeer().address().toString());
        request.headers().forEach(header -> headers.add(header.name() + ": " + header.get()));
        byte[] body = request.content().as(byte[].class);
        List<Received> batch = Received.body(body);
        meet(Received.introductions(body));
        Garbage instead = garbage;
        if (instead != null) {
            send(response, instead.status(), instead.body());
            return;
        }
        switch (take(batch)) {
            case BatchOutcome.Delivered all -> send(response, 200, "");
            case BatchOutcome.PerEvent some ->
                send(response, 200, new String(GatewayReplies.write(some, batch.size()), StandardCharsets.UTF_8));
            case BatchOutcome.Refused refused -> send(response, 422, refused.reason());
            case BatchOutcome.Fenced fenced -> send(response, 409, fenced.reason());
            case BatchOutcome.RetryLater later -> {
                later.after()
                        .ifPresent(wait -> response.header(HeaderNames.RETRY_AFTER, Long.toString(wait.toSeconds())));
                send(response, 503, later.reason());
            }
        }
    }

    private static void send(ServerResponse response, int status, String body) {
        response.status(Status.create(status));
        if (body.isEmpty()) {
            response.send();
        } else {
            response.send(body);
        }
    }

    @Override
    public GatewayAddress address() {
        return new GatewayAddress("gw-http", Protocol.HTTP, scheme + "://" + hostAndPort());
    }

    @Override
    public int kindsOfGarbage() {
        return GARBAGE.size();
    }

    @Override
    public void answerGarbage(int kind) {
        garbage = GARBAGE.get(kind);
    }

    void answerOk(String body) {
        garbage = new Garbage(200, body);
    }

    void answerStatus(int status) {
        garbage = new Garbage(status, "so it is");
    }

    @Override
    public void close() {
        super.close();
        server.stop();
    }
}

package dev.sluice.server.gateway;

import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.GatewayBuilder;
import dev.sluice.gateway.StreamerAccess;
import dev.sluice.gateway.web.Authenticator;
import dev.sluice.gateway.web.GatewayServer;
import dev.sluice.gateway.web.JwtAuthenticator;
import dev.sluice.gateway.web.WebLimits;
import dev.sluice.gateway.web.WebOptions;
import dev.sluice.server.config.GatewayConfig;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.config.yaml.Secret;
import dev.sluice.server.http.HealthPart;
import dev.sluice.server.http.Json;
import dev.sluice.server.http.NodePart;
import dev.sluice.server.puller.ServerSettings;
import io.helidon.webserver.http.HttpRouting;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What {@code sluice run --role gateway} runs: the server for end users. */
public final class GatewayRole implements NodePart, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.gateway");

    private final GatewayServer server;

    private GatewayRole(GatewayServer server) {
        this.server = server;
    }

    /** @param streamerHere the port of a Streamer in this process */
    public static GatewayRole start(SluiceConfig config, OptionalInt streamerHere, MeterRegistry registry)
            throws IOException {
        var role = new GatewayRole(GatewayServer.start(gateway(config, streamerHere), web(config)));
        GatewayMeters.register(role.server, registry);
        LOG.atInfo()
                .addKeyValue("address", config.gateway().address().host() + ":" + role.port())
                .log("gateway started");
        return role;
    }

    static GatewayBuilder gateway(SluiceConfig config, OptionalInt streamerHere) {
        var own = config.gateway();
        var builder = Gateway.builder(id(config))
                .streamer(streamer(config, streamerHere))
                .security(ServerSettings.security(config.security()))
                .receiveByHttp(own.receive());
        own.advertise().ifPresent(builder::advertise);
        return builder;
    }

    private static String id(SluiceConfig config) {
        return config.gateway()
                .id()
                .orElseGet(() -> "gateway-" + config.cluster().nodeId().orElse("1"));
    }

    private static StreamerAccess streamer(SluiceConfig config, OptionalInt here) {
        var address = config.routing().grpc().address();
        var port = here.orElse(address.port());
        var access = StreamerAccess.to(config.gateway().streamer().orElse(address.host() + ":" + port));
        var tls = config.security().tls();
        if (tls.certificate().isPresent() && tls.key().isPresent()) {
            // Without a CA all nodes of a deployment have one certificate, or ones the gateway's own chain vouches for.
            var own = tls.certificate().get();
            access = access.withTls(tls.ca().orElse(own))
                    .withCertificate(own, tls.key().get());
        }
        var token = config.security().token().map(Secret::reveal);
        return token.isPresent() ? access.withToken(token.get()) : access;
    }

    static WebOptions web(SluiceConfig config) throws IOException {
        var own = config.gateway();
        var usual = WebLimits.DEFAULT;
        return WebOptions.DEFAULT
                .at(own.address())
                .securedBy(ServerSettings.security(config.security()))
                .authenticatedBy(authenticator(own.jwt()))
                .forPagesOf(Set.copyOf(own.origins()))
                .within(new WebLimits(
                        own.limits().connections(),
                        own.limits().connectionsPerAddress(),
                        own.limits().subscriptionsPerConnection(),
                        usual.messageBytes(),
                        usual.queuedMessages(),
                        usual.queuedBytes(),
                        usual.queuedBytesInAll(),
                        usual.ping()));
    }

    private static Authenticator authenticator(GatewayConfig.Jwt jwt) throws IOException {
        if (jwt.secret().isPresent()) {
            var secrets = Stream.concat(jwt.secret().stream(), jwt.otherSecrets().stream())
                    .map(secret -> secret.reveal().getBytes(StandardCharsets.UTF_8))
                    .toList();
            return JwtAuthenticator.hs256(secrets, Clock.systemUTC());
        }
        if (jwt.publicKey().isEmpty()) {
            return Authenticator.ANYBODY;
        }
        var keys = new ArrayList<String>();
        keys.add(Files.readString(jwt.publicKey().get()));
        for (var other : jwt.otherPublicKeys()) {
            keys.add(Files.readString(other));
        }
        return JwtAuthenticator.rs256(keys, Clock.systemUTC());
    }

    /** Where end users connect. */
    public int port() {
        return server.port();
    }

    @Override
    public String role() {
        return "gateway";
    }

    /** Healthy while its Streamer answers and knows it. */
    @Override
    public List<HealthPart> health() {
        var problem = server.problem();
        var answer = Json.object(
                "name", server.id(),
                "status", problem.isEmpty() ? "healthy" : "failed",
                "connections", server.connections(),
                "subscriptions", server.subscriptions(),
                "queuedBytes", server.queuedBytes());
        problem.ifPresent(reason -> answer.put("problem", Json.value(reason)));
        return List.of(new HealthPart(HealthPart.Kind.GATEWAY, problem.isEmpty(), answer));
    }

    /** Later outages of the Streamer do not take the node out: its connections are held until the Streamer is back. */
    @Override
    public Optional<String> notReady() {
        return server.isRegistered()
                ? Optional.empty()
                : Optional.of("gateway " + server.id() + " has not reached its Streamer yet: /health says why");
    }

    @Override
    public void routes(HttpRouting.Builder routes) {}

    @Override
    public BsonDocument status() {
        return Json.object(
                "connections", server.connections(),
                "endUserSubscriptions", server.subscriptions(),
                "queuedBytes", server.queuedBytes(),
                "cutOffs", server.cutOffs());
    }

    @Override
    public void close() {
        server.close();
        LOG.info("gateway stopped");
    }
}

package dev.sluice.server.http;

import dev.sluice.net.ListenAddress;
import dev.sluice.net.Listening;
import dev.sluice.server.config.SecurityConfig;
import io.helidon.common.configurable.Resource;
import io.helidon.common.pki.Keys;
import io.helidon.common.tls.Tls;
import io.helidon.common.tls.TlsClientAuth;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.Filter;
import io.helidon.webserver.http.HttpRouting;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Set;
import java.util.function.Consumer;

/** One HTTP port. Started when made; closing it twice is harmless. */
public final class HttpListener implements AutoCloseable {
    /** Orchestrators ask these without a credential; they say yes, or no and why, and nothing of the data. */
    private static final Set<String> OPEN_PATHS = Set.of("/livez", "/readyz");

    private final WebServer server;

    private HttpListener(WebServer server) {
        this.server = server;
    }

    /**
     * @param what its name in messages
     * @throws dev.sluice.net.BindRefusedException when the address may not be listened on
     */
    public static HttpListener start(
            String what, ListenAddress address, SecurityConfig security, Consumer<HttpRouting.Builder> routes) {
        var permitted = Listening.permit(what, address, security.protection());
        var routing = HttpRouting.builder();
        security.token().ifPresent(token -> routing.addFilter(demand(token.reveal())));
        routes.accept(routing);
        var builder = WebServer.builder()
                .address(permitted.getAddress())
                .port(permitted.getPort())
                .shutdownHook(false)
                // or an answer waits for the acknowledgement of its head: 40 ms
                .connectionOptions(options -> options.tcpNoDelay(true))
                .routing(routing);
        if (security.tls().certificate().isPresent() && security.tls().key().isPresent()) {
            builder.tls(
                    tls(security.tls().certificate().get(), security.tls().key().get(), security));
        }
        return new HttpListener(builder.build().start());
    }

    private static Filter demand(String token) {
        var expected = ("Bearer " + token).getBytes(StandardCharsets.UTF_8);
        return (chain, request, response) -> {
            var shown = request.headers().first(HeaderNames.AUTHORIZATION).orElse("");
            var known = MessageDigest.isEqual(expected, shown.getBytes(StandardCharsets.UTF_8));
            if (known || OPEN_PATHS.contains(request.path().path())) {
                chain.proceed();
            } else {
                response.status(Status.UNAUTHORIZED_401).send("send the token as authorization: Bearer ...\n");
            }
        };
    }

    private static Tls tls(Path certificate, Path key, SecurityConfig security) {
        var own = Keys.builder()
                .pem(pem -> pem.certChain(Resource.create(certificate)).key(Resource.create(key)))
                .build();
        var tls = Tls.builder().privateKey(own).privateKeyCertChain(own);
        security.tls()
                .ca()
                .ifPresent(ca -> tls.clientAuth(TlsClientAuth.REQUIRED)
                        .trust(Keys.builder()
                                .pem(pem -> pem.certificates(Resource.create(ca)))
                                .build()));
        return tls.build();
    }

    public int port() {
        return server.port();
    }

    @Override
    public void close() {
        server.stop();
    }
}

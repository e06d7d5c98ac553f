package dev.sluice.gateway;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.HeaderText;
import dev.sluice.deliver.Protocol;
import dev.sluice.grpc.ServerSecurity;
import dev.sluice.net.ListenAddress;
import dev.sluice.net.Listening;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;

/** Takes batches by HTTP/2, in cleartext (with prior knowledge or by upgrade) or TLS, and by HTTP/1.1. */
final class HttpEndpoint implements Endpoint {
    static final String PATH = "/internal/v1/streamer/events";

    private static final HeaderName GATEWAY = HeaderNames.create(HeaderText.GATEWAY);

    private final String gateway;
    private final Intake intake;
    private final byte[] credential;
    private final boolean tls;
    private final ListenAddress address;
    private final WebServer server;

    /** @throws dev.sluice.net.BindRefusedException when the address may not be listened on */
    HttpEndpoint(String gatewayId, ListenAddress address, ServerSecurity security, Intake intake) {
        this.gateway = HeaderText.of(gatewayId);
        this.intake = intake;
        this.credential = security.token() == null ? new byte[0] : utf8("Bearer " + security.token());
        this.tls = security.certificate() != null;
        this.address = address;
        InetSocketAddress permitted = Listening.permit("the gateway", address, security.protection());
        var builder = WebServer.builder()
                .address(permitted.getAddress())
                .port(permitted.getPort())
                .shutdownHook(false)
                // Helidon leaves Nagle's algorithm on: with HTTP/2's small frames that makes each answer wait 40 ms.
                .connectionOptions(options -> options.tcpNoDelay(true))
                .routing(HttpRouting.builder().post(PATH, this::receive));
        HelidonTls.of(security).ifPresent(builder::tls);
        this.server = builder.build().start();
    }

    private void receive(ServerRequest request, ServerResponse response) {
        byte[] shown = utf8(request.headers().first(HeaderNames.AUTHORIZATION).orElse(""));
        long length = request.headers().contentLength().orElse(0);
        if (credential.length > 0 && !MessageDigest.isEqual(credential, shown)) {
            response.status(Status.UNAUTHORIZED_401).send("send the token as authorization: Bearer ...\n");
        } else if (!request.headers().first(GATEWAY).orElse(gateway).equals(gateway)) {
            // Another had this address before; its events must not be acknowledged here.
            response.status(Status.SERVICE_UNAVAILABLE_503)
                    .header(HeaderNames.CONTENT_TYPE, "application/json")
                    .send(ReplyJson.of(new BatchOutcome.RetryLater("this is gateway " + gateway), 0));
        } else if (length > intake.maxBytes()) {
            response.status(Status.REQUEST_ENTITY_TOO_LARGE_413).send(tooLarge());
        } else {
            answer(request, response);
        }
    }

    private void answer(ServerRequest request, ServerResponse response) {
        int[] events = {0};
        BatchOutcome outcome;
        try (Intake.Arrival arrival = intake.arrival();
                InputStream body = request.content().inputStream()) {
            Optional<String> text = new ArrivingBody(arrival, intake.maxBytes()).read(body);
            outcome = text.isEmpty()
                    ? arrival.noRoom()
                    : arrival.take(() -> {
                        IncomingBatch batch = BatchJson.read(text.get());
                        events[0] = batch.events().size();
                        return batch;
                    });
        } catch (ArrivingBody.TooLargeException tooLarge) {
            response.status(Status.REQUEST_ENTITY_TOO_LARGE_413).send(tooLarge());
            return;
        } catch (IOException cut) {
            throw new UncheckedIOException(cut);
        }
        response.status(status(outcome))
                .header(HeaderNames.CONTENT_TYPE, "application/json")
                .send(ReplyJson.of(outcome, events[0]));
    }

    private static Status status(BatchOutcome outcome) {
        return switch (outcome) {
            case BatchOutcome.Delivered all -> Status.OK_200;
            case BatchOutcome.PerEvent some -> Status.OK_200;
            case BatchOutcome.Fenced fenced -> Status.CONFLICT_409;
            case BatchOutcome.Refused refused -> Status.BAD_REQUEST_400;
            case BatchOutcome.RetryLater later ->
                later.eventMayBeToBlame() ? Status.INTERNAL_SERVER_ERROR_500 : Status.SERVICE_UNAVAILABLE_503;
        };
    }

    private String tooLarge() {
        return "a batch has at most " + intake.maxBytes() + " bytes";
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Protocol protocol() {
        return Protocol.HTTP;
    }

    @Override
    public String address() {
        return (tls ? "https://" : "http://") + new ListenAddress(address.host(), server.port());
    }

    @Override
    public void close() {
        server.stop();
    }
}

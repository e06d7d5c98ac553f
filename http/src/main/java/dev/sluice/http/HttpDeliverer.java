package dev.sluice.http;

import dev.sluice.deliver.Attempts;
import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.DeliveryBody;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.HeaderText;
import dev.sluice.deliver.Reason;
import dev.sluice.model.InvalidInputException;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;

/**
 * Posts batches to a gateway over HTTP/2: one connection, a stream per batch, cleartext (by prior knowledge) or TLS (by ALPN)
 * by the gateway's URL. A gateway that speaks only HTTP/1.1 is served that way.
 */
public final class HttpDeliverer implements Deliverer {
    static final String PATH = "/internal/v1/streamer/events";

    private final HttpDelivery settings;
    private final String server;
    private final Attempts attempts;
    private HttpLink link;

    /** @throws InvalidInputException when the gateway's endpoint is no URL of a server */
    public HttpDeliverer(GatewayAddress gateway, HttpDelivery settings) {
        URI target = target(gateway.endpoint());
        this.settings = settings;
        this.server = target.getAuthority();
        this.attempts = new Attempts(gateway.id());
        this.link = new HttpLink(HttpTarget.of(target, HeaderText.GATEWAY, HeaderText.of(gateway.id()), settings));
    }

    private static URI target(String endpoint) {
        try {
            URI base = new URI(endpoint.endsWith("/") ? endpoint.substring(0, endpoint.length() - 1) : endpoint);
            boolean http = "http".equalsIgnoreCase(base.getScheme()) || "https".equalsIgnoreCase(base.getScheme());
            boolean more = base.getRawUserInfo() != null || base.getRawQuery() != null || base.getRawFragment() != null;
            if (http && base.getHost() != null && base.getPort() < 65536 && !more) {
                return new URI(base + PATH);
            }
        } catch (URISyntaxException notOne) {
            // Told below.
        }
        throw new InvalidInputException("the endpoint " + InvalidInputException.quote(endpoint)
                + " of an HTTP gateway is not like http://host:port or https://host/path");
    }

    @Override
    public CompletionStage<BatchOutcome> deliver(DeliveryBatch batch) {
        long began = System.nanoTime();
        return attempts.begin(() -> attempt(batch, began));
    }

    private BatchOutcome attempt(DeliveryBatch batch, long began) throws InterruptedException {
        DeliveryBody body;
        try {
            body = DeliveryBody.of(batch);
        } catch (RuntimeException unwritable) {
            return new BatchOutcome.Refused("cannot be written as JSON: " + Reason.of(unwritable));
        }
        HttpLink over = link();
        try {
            return HttpAnswer.read(
                    over.post(HttpContent.of(body), began), batch.deliveries().size());
        } catch (TimeoutException silence) {
            if (over.isSilentSince(began)) {
                replace(over);
            }
            return new BatchOutcome.RetryLater(
                    "no answer within " + settings.timeout().toMillis() + " ms");
        } catch (IOException away) {
            return new BatchOutcome.RetryLater("cannot reach " + server + ": " + Reason.of(away));
        }
    }

    private synchronized HttpLink link() {
        return link;
    }

    /** A connection that swallows everything would be kept for ever otherwise: HTTP/2 has no way to tell. */
    private synchronized void replace(HttpLink silent) {
        if (link == silent && !attempts.isClosed()) {
            link = silent.another();
            silent.retire();
        }
    }

    @Override
    public void close() {
        attempts.close();
        link().close();
    }
}

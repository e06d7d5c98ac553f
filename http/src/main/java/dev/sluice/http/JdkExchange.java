package dev.sluice.http;

import dev.sluice.deliver.DeliveryReply;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The JDK's client: by TLS it negotiates HTTP/2 or HTTP/1.1 (ALPN), in cleartext it speaks HTTP/1.1. */
final class JdkExchange implements HttpExchange {
    private final HttpTarget target;
    private final HttpClient client;

    JdkExchange(HttpTarget target) {
        this.target = target;
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(target.isSecure() ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(target.settings().timeout())
                .executor(task -> Thread.ofVirtual().name("http-delivery").start(task));
        if (target.settings().tls() != null) {
            builder.sslContext(target.settings().tls());
        }
        this.client = builder.build();
    }

    @Override
    public HttpReply send(@Nullable HttpContent content, long nanos)
            throws IOException, InterruptedException, TimeoutException {
        CompletableFuture<HttpResponse<byte[]>> answer = client.sendAsync(
                request(content), BodyHandlers.limiting(BodyHandlers.ofByteArray(), DeliveryReply.MAX_BYTES));
        try {
            HttpResponse<byte[]> came = answer.get(nanos, TimeUnit.NANOSECONDS);
            return new HttpReply(came.statusCode(), came.headers().firstValue("retry-after"), came.body());
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof IOException io ? io : new IOException(failed.getCause());
        } finally {
            answer.cancel(true);
        }
    }

    private HttpRequest request(@Nullable HttpContent content) {
        HttpRequest.Builder request = HttpRequest.newBuilder(target.uri());
        target.headers().forEach(request::header);
        if (content == null) {
            return request.method("OPTIONS", BodyPublishers.noBody()).build();
        }
        content.headers().forEach(request::header);
        return request.POST(publisher(content))
                .header("content-type", content.type())
                .build();
    }

    private static BodyPublisher publisher(HttpContent content) {
        return BodyPublishers.fromPublisher(BodyPublishers.ofByteArrays(content.pieces()), content.length());
    }

    @Override
    public void retire() {
        client.shutdown();
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}

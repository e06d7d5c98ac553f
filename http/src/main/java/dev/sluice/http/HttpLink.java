package dev.sluice.http;

import dev.sluice.deliver.DeliveryReply;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The JDK's client, held to one connection. By itself it would open one for every request that finds none ready, and in
 * cleartext send the first body in HTTP/1.1, with an upgrade that servers understand in different ways. So while it is not
 * known that a connection stands, one request without a body goes first ({@code OPTIONS}) and the others wait for it.
 */
final class HttpLink implements AutoCloseable {
    /** The JDK drops a connection that was idle for 30 seconds. */
    private static final long IDLE_NANOS = Duration.ofSeconds(20).toNanos();

    private final HttpDelivery settings;
    private final HttpRequest opener;
    private final HttpClient client;
    private final ReentrantLock opening = new ReentrantLock();
    private volatile boolean open;
    private volatile boolean onlyHttp1;
    private volatile long lastAnswer = System.nanoTime();

    HttpLink(HttpDelivery settings, HttpRequest opener) {
        this.settings = settings;
        this.opener = opener;
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_2)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(settings.timeout())
                .executor(task -> Thread.ofVirtual().name("http-delivery").start(task));
        if (settings.tls() != null) {
            builder.sslContext(settings.tls());
        }
        this.client = builder.build();
    }

    /** A new connection to the same gateway. */
    HttpLink another() {
        return new HttpLink(settings, opener);
    }

    /**
     * @param began when the attempt did, from which its time counts
     * @throws TimeoutException when there is no complete answer in time
     */
    HttpResponse<byte[]> post(HttpRequest request, long began)
            throws IOException, InterruptedException, TimeoutException {
        open(began);
        HttpResponse<byte[]> answer =
                send(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), DeliveryReply.MAX_BYTES), began);
        if (answer.version() == HttpClient.Version.HTTP_1_1 && !onlyHttp1) {
            open = false; // It came back without HTTP/2: the next one asks again.
        }
        return answer;
    }

    private void open(long began) throws IOException, InterruptedException, TimeoutException {
        if (isOpen()) {
            return;
        }
        if (!opening.tryLock(left(began), TimeUnit.NANOSECONDS)) {
            throw new TimeoutException();
        }
        try {
            if (!isOpen()) {
                onlyHttp1 = send(opener, BodyHandlers.discarding(), began).version() == HttpClient.Version.HTTP_1_1;
                open = true;
            }
        } finally {
            opening.unlock();
        }
    }

    private boolean isOpen() {
        return open && System.nanoTime() - lastAnswer < IDLE_NANOS;
    }

    private <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> into, long began)
            throws IOException, InterruptedException, TimeoutException {
        CompletableFuture<HttpResponse<T>> answer = client.sendAsync(request, into);
        try {
            HttpResponse<T> came = answer.get(left(began), TimeUnit.NANOSECONDS);
            lastAnswer = System.nanoTime();
            return came;
        } catch (ExecutionException failed) {
            open = false;
            throw failed.getCause() instanceof IOException io ? io : new IOException(failed.getCause());
        } finally {
            answer.cancel(true);
        }
    }

    private long left(long began) {
        return settings.timeout().toNanos() - (System.nanoTime() - began);
    }

    boolean isSilentSince(long moment) {
        return lastAnswer - moment < 0;
    }

    /** Ends when what is under way has. */
    void retire() {
        client.shutdown();
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}

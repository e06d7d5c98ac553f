package dev.sluice.bench;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Delivers events over HTTP/2 as a Streamer does: batches of 100 at most, four under way, for one client one after the other.
 * Both contenders get their events by this class.
 */
final class GatewayFeed implements AutoCloseable {
    static final int BATCH = 100;
    private static final int SENDERS = 4;
    private static final int LEAD = 20_000;
    private static final String PATH = "/internal/v1/streamer/events";

    static {
        // The JDK's client closes a connection that was idle for 30 s, as between two turns, and the next request,
        // which has a
        // body, would stay at HTTP/1.1.
        System.setProperty("jdk.httpclient.keepalive.timeout.h2", "3600");
    }

    private final HttpClient http = HttpClient.newHttpClient();
    private final ExecutorService senders = Executors.newFixedThreadPool(
            SENDERS, Thread.ofPlatform().name("feed-", 0).factory());
    private final URI uri;

    /** @param address such as {@code http://127.0.0.1:8090} */
    GatewayFeed(String address) throws IOException, InterruptedException {
        uri = URI.create(address + PATH);
        // A request without a body goes first: with one, the JDK's client stays at HTTP/1.1.
        http.send(
                HttpRequest.newBuilder(uri)
                        .method("OPTIONS", HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.discarding());
    }

    /**
     * Delivers the events of these numbers to every client of the crowd, at most 20,000 ahead of what the crowd received. Ends
     * early when the crowd fails.
     */
    void broadcast(DeliveryEncoding encoding, int first, int last, Crowd crowd)
            throws InterruptedException, ExecutionException {
        List<DeliveryEncoding.EncodedEvent> events = new ArrayList<>();
        for (int number = first; number <= last; number++) {
            events.add(DeliveryEncoding.EncodedEvent.of(number));
        }
        AtomicLong sent = new AtomicLong();
        List<Future<?>> running = new ArrayList<>();
        for (int sender = 0; sender < SENDERS; sender++) {
            int from = crowd.size() * sender / SENDERS;
            int to = crowd.size() * (sender + 1) / SENDERS;
            running.add(senders.submit(() -> {
                for (DeliveryEncoding.EncodedEvent event : events) {
                    for (int k = from; k < to && !crowd.hasFailed(); k += BATCH) {
                        Batch batch = new Batch(encoding);
                        for (int client = k; client < Math.min(to, k + BATCH); client++) {
                            batch.add(client, event);
                        }
                        awaitReceived(sent.getAndAdd(batch.size), crowd);
                        batch.send();
                    }
                }
                return true;
            }));
        }
        for (Future<?> each : running) {
            each.get();
        }
    }

    private static void awaitReceived(long sent, Crowd crowd) throws InterruptedException {
        while (sent - crowd.counts().receivedEvents() > LEAD && !crowd.hasFailed()) {
            Thread.sleep(1);
        }
    }

    /** Delivers to the clients that resume the events behind their markers, until there is nothing more to do. */
    void resume(
            DeliveryEncoding encoding, BlockingQueue<BenchStreamer.Registered> resumed, int head, BooleanSupplier done)
            throws InterruptedException, ExecutionException {
        List<Future<?>> running = new ArrayList<>();
        for (int sender = 0; sender < SENDERS; sender++) {
            running.add(senders.submit(() -> {
                List<DeliveryEncoding.EncodedEvent> events = new ArrayList<>();
                while (!done.getAsBoolean()) {
                    resumeSome(encoding, resumed, head, events);
                }
                return true;
            }));
        }
        for (Future<?> each : running) {
            each.get();
        }
    }

    private void resumeSome(
            DeliveryEncoding encoding,
            BlockingQueue<BenchStreamer.Registered> resumed,
            int head,
            List<DeliveryEncoding.EncodedEvent> encoded)
            throws IOException, InterruptedException {
        BenchStreamer.Registered next = resumed.poll(1, TimeUnit.MILLISECONDS);
        Batch batch = new Batch(encoding);
        while (next != null) {
            for (int number = next.after() + 1; number <= head; number++) {
                batch.add(next.client(), encoded(number, encoded));
            }
            next = batch.size < BATCH ? resumed.poll() : null;
        }
        batch.send();
    }

    private static DeliveryEncoding.EncodedEvent encoded(int number, List<DeliveryEncoding.EncodedEvent> known) {
        for (DeliveryEncoding.EncodedEvent each : known) {
            if (each.number() == number) {
                return each;
            }
        }
        known.add(DeliveryEncoding.EncodedEvent.of(number));
        return known.getLast();
    }

    /** A delivery request to the gateway. Not thread-safe. */
    private final class Batch {
        private final DeliveryEncoding encoding;
        private final ByteArrayOutputStream body = new ByteArrayOutputStream(BATCH << 10);
        private int size;

        Batch(DeliveryEncoding encoding) {
            this.encoding = encoding;
            body.writeBytes(encoding.open());
        }

        void add(int client, DeliveryEncoding.EncodedEvent event) throws IOException {
            if (size > 0) {
                body.writeBytes(encoding.separator());
            }
            encoding.add(client, event, body);
            size++;
        }

        void send() throws IOException, InterruptedException {
            if (size == 0) {
                return;
            }
            body.writeBytes(encoding.close());
            HttpResponse<String> answer = http.send(
                    HttpRequest.newBuilder(uri)
                            .POST(HttpRequest.BodyPublishers.ofByteArray(body.toByteArray()))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            boolean all =
                    answer.body().isEmpty() || answer.body().equals("{\"accepted\":" + size + ",\"rejections\":[]}");
            if (answer.statusCode() != 200 || !all) {
                throw new IllegalStateException(
                        "the server answers a batch by " + answer.statusCode() + " " + answer.body());
            }
        }
    }

    @Override
    public void close() {
        senders.shutdownNow();
        http.shutdownNow();
    }
}

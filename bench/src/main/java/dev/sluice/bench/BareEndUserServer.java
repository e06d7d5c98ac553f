package dev.sluice.bench;

import dev.sluice.net.ListenAddress;
import dev.sluice.net.Listening;
import dev.sluice.net.Protection;
import io.helidon.common.buffers.BufferData;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.helidon.webserver.websocket.WsRouting;
import io.helidon.websocket.WsListener;
import io.helidon.websocket.WsSession;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Helidon's web server without Sluice's code: a delivery names clients and has their messages ready; the thread of the
 * delivery writes them to the clients' sockets. No queues, no subscriptions, no deduplication.
 */
final class BareEndUserServer implements EndUserServer {
    private static final HeaderName LAST_EVENT_ID = HeaderNames.create("Last-Event-ID");
    private static final byte[] PING = ":\n\n".getBytes(StandardCharsets.US_ASCII);
    private static final DeliveryEncoding.ForBareServer SSE = new DeliveryEncoding.ForBareServer(new SseProtocol());

    private final AtomicReferenceArray<@Nullable Recipient> recipients;
    private final Map<Integer, DeliveryEncoding.EncodedEvent> encoded = new ConcurrentHashMap<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger subscriptions = new AtomicInteger();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService pings = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("pings").factory());
    private final Duration ping;
    private final WebServer server;
    private volatile int head;

    /** Where a client's messages are written. */
    private interface Recipient {
        void write(byte[] message) throws IOException;
    }

    BareEndUserServer(int clients, Duration ping) {
        this.recipients = new AtomicReferenceArray<>(clients);
        this.ping = ping;
        var address = Listening.permit("a benchmark", ListenAddress.loopback(0), Protection.NONE);
        this.server = WebServer.builder()
                .address(address.getAddress())
                .port(0)
                .shutdownHook(false)
                .connectionOptions(socket -> socket.tcpNoDelay(true))
                .routing(HttpRouting.builder()
                        .post("/internal/v1/streamer/events", this::deliver)
                        .get("/v1/events", this::events))
                .addRouting(WsRouting.builder().endpoint("/v1/subscribe", Socket::new))
                .build()
                .start();
        pings.scheduleWithFixedDelay(
                () -> sockets.forEach(Socket::ping), ping.toMillis(), ping.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public int port() {
        return server.port();
    }

    @Override
    public int connections() {
        return connections.get();
    }

    /** Commands: {@code subscriptions} made since the start, {@code head EVENT}: the event that happened last. */
    @Override
    public String answer(String[] words) {
        switch (words[0]) {
            case "subscriptions" -> {
                return String.valueOf(subscriptions.get());
            }
            case "head" -> head = Integer.parseInt(words[1]);
            default -> throw new IllegalArgumentException("there is no command " + words[0]);
        }
        return "";
    }

    @Override
    public void close() {
        pings.shutdownNow();
        server.stop();
    }

    private void deliver(ServerRequest request, ServerResponse response) throws IOException {
        ByteBuffer body = ByteBuffer.wrap(request.content().as(byte[].class));
        while (body.hasRemaining()) {
            Recipient recipient = recipients.get(body.getInt());
            byte[] message = new byte[body.getInt()];
            body.get(message);
            if (recipient != null) {
                recipient.write(message);
            }
        }
        response.send();
    }

    private void forget(int client, Recipient gone) {
        if (client >= 0) {
            recipients.compareAndSet(client, gone, null);
        }
    }

    private DeliveryEncoding.EncodedEvent encoded(int number) {
        return encoded.computeIfAbsent(number, DeliveryEncoding.EncodedEvent::of);
    }

    /** Reads the client's number from its filter {@code {"user":N}}. */
    private static int client(String filter) {
        return Integer.parseInt(filter.replaceAll("\\D", ""));
    }

    /** Helidon's session is for one thread at a time. */
    private final class Socket implements WsListener, Recipient {
        private final ReentrantLock sending = new ReentrantLock();
        private volatile @Nullable WsSession session;
        private volatile int number = -1;

        @Override
        public void onOpen(WsSession opened) {
            session = opened;
            sockets.add(this);
            connections.incrementAndGet();
        }

        @Override
        public void onMessage(WsSession from, String text, boolean last) {
            number = client(text.substring(text.indexOf("\"user\"")));
            recipients.set(number, this);
            subscriptions.incrementAndGet();
        }

        @Override
        public void write(byte[] message) {
            WsSession to = session;
            sending.lock();
            try {
                if (to != null) {
                    to.send(new String(message, StandardCharsets.UTF_8), true);
                }
            } finally {
                sending.unlock();
            }
        }

        /** Helidon tells a listener nothing of a client that is cut: the ping fails. */
        void ping() {
            WsSession to = session;
            sending.lock();
            try {
                if (to != null) {
                    to.ping(BufferData.empty());
                }
            } catch (RuntimeException gone) {
                end();
            } finally {
                sending.unlock();
            }
        }

        @Override
        public void onClose(WsSession closed, int status, String reason) {
            end();
        }

        @Override
        public void onError(WsSession failed, Throwable why) {
            end();
        }

        private void end() {
            session = null;
            if (sockets.remove(this)) {
                forget(number, this);
                connections.decrementAndGet();
            }
        }
    }

    private void events(ServerRequest request, ServerResponse response) throws InterruptedException {
        int client = client(request.query().get("filter"));
        String lastId = request.headers().first(LAST_EVENT_ID).orElse("");
        connections.incrementAndGet();
        response.header(HeaderNames.CONTENT_TYPE, "text/event-stream");
        try (OutputStream out = response.outputStream();
                Stream stream = new Stream(client, out)) {
            stream.write(PING);
            recipients.set(client, stream);
            subscriptions.incrementAndGet();
            for (int number = lastId.isEmpty() ? head + 1 : BenchEvent.numberOf(lastId) + 1; number <= head; number++) {
                stream.write(SSE.message(client, encoded(number)));
            }
            while (!stream.gone.await(ping.toMillis(), TimeUnit.MILLISECONDS)) {
                stream.write(PING);
            }
        } catch (IOException | UncheckedIOException gone) {
            // The client has left.
        } finally {
            connections.decrementAndGet();
        }
    }

    /** Server-sent events of one client. */
    private final class Stream implements Recipient, AutoCloseable {
        private final ReentrantLock sending = new ReentrantLock();
        private final CountDownLatch gone = new CountDownLatch(1);
        private final int number;
        private final OutputStream out;

        Stream(int number, OutputStream out) {
            this.number = number;
            this.out = out;
        }

        @Override
        public void close() {
            forget(number, this);
        }

        @Override
        public void write(byte[] message) throws IOException {
            sending.lock();
            try {
                out.write(message);
                out.flush();
            } catch (IOException | UncheckedIOException failed) {
                gone.countDown();
                throw failed;
            } finally {
                sending.unlock();
            }
        }
    }
}

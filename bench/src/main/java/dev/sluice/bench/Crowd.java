package dev.sluice.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Thousands of end users on one thread: connects them, reads and counts what they receive. Connections that the server has not
 * accepted yet are at most {@link #CONNECTING_AT_ONCE}, fewer than its backlog: a full backlog would measure TCP's retries.
 */
final class Crowd implements AutoCloseable {
    private static final int CONNECTING_AT_ONCE = 256;
    private static final int BUFFER = 64 << 10;
    private static final int SELECT_MILLIS = 100;
    private static final int POLL_MILLIS = 5;

    private final CrowdCounts counts;
    private final List<CrowdClient> clients = new ArrayList<>();
    private final Selector selector = Selector.open();
    private final Queue<Task> tasks = new ConcurrentLinkedQueue<>();
    private final Deque<CrowdClient> toConnect = new ArrayDeque<>();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
    private final byte[] bytes = new byte[BUFFER];
    private final Thread thread;
    private ClientProtocol protocol = new SseProtocol();
    private InetSocketAddress server = new InetSocketAddress("127.0.0.1", 0);
    private int connecting;
    private volatile boolean closed;
    private volatile @Nullable String failure;

    /** A piece of work for the crowd's thread. */
    private interface Task {
        void run() throws IOException;
    }

    Crowd(int size) throws IOException {
        counts = new CrowdCounts(size);
        for (int k = 0; k < size; k++) {
            clients.add(new CrowdClient(k, counts));
        }
        thread = Thread.ofPlatform().name("crowd").daemon().start(this::loop);
    }

    int size() {
        return clients.size();
    }

    CrowdCounts counts() {
        return counts;
    }

    /** Whether a connection failed that should be open. */
    boolean hasFailed() {
        return failure != null;
    }

    /**
     * Begins to connect all clients as new end users.
     *
     * @param before the number of the last event that happened before they came
     */
    void connect(InetSocketAddress to, ClientProtocol by, int before) {
        tasks.add(() -> {
            clients.forEach(client -> client.forget(before));
            connectAll(to, by);
        });
        selector.wakeup();
    }

    /** Cuts all connections and begins to connect the same end users again: each passes the last id it got. */
    void reconnect(InetSocketAddress to, ClientProtocol by) {
        tasks.add(() -> {
            cutAll();
            connectAll(to, by);
        });
        selector.wakeup();
    }

    /** Begins to cut the connections of the first so many clients. */
    void cut(int first) {
        tasks.add(() -> {
            for (CrowdClient client : clients.subList(0, first)) {
                client.cut();
            }
        });
        selector.wakeup();
    }

    /** Begins to cut all connections. */
    void disconnect() {
        tasks.add(this::cutAll);
        selector.wakeup();
    }

    private void connectAll(InetSocketAddress to, ClientProtocol by) {
        server = to;
        protocol = by;
        toConnect.clear();
        toConnect.addAll(clients);
        connecting = 0;
    }

    private void cutAll() throws IOException {
        toConnect.clear();
        for (CrowdClient client : clients) {
            client.cut();
        }
        connecting = 0;
    }

    /**
     * Waits until something is so.
     *
     * @throws IllegalStateException when a connection failed or the time is over
     */
    void await(String what, int seconds, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        while (!condition.call()) {
            String failed = failure;
            if (failed != null || System.nanoTime() > end) {
                throw new IllegalStateException("%s: %s (%,d of %,d clients connected, %,d events received)"
                        .formatted(
                                what,
                                failed == null ? "not within " + seconds + " s" : failed,
                                counts.openedConnections(),
                                clients.size(),
                                counts.receivedEvents()));
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    private void loop() {
        try {
            while (!closed) {
                step();
            }
        } catch (IOException | RuntimeException failed) {
            failure = String.valueOf(failed);
        }
    }

    private void step() throws IOException {
        for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        while (connecting < CONNECTING_AT_ONCE && !toConnect.isEmpty()) {
            connecting++;
            toConnect.remove().connect(server, protocol, selector);
        }
        selector.select(this::ready, SELECT_MILLIS);
    }

    private void ready(SelectionKey key) {
        CrowdClient client = (CrowdClient) key.attachment();
        try {
            if (key.isValid() && key.isConnectable()) {
                client.connected(key, protocol);
            } else if (key.isValid() && key.isReadable()) {
                boolean before = client.isOpen();
                client.read(buffer, bytes);
                connecting -= client.isOpen() && !before ? 1 : 0;
            }
        } catch (IOException | RuntimeException failed) {
            failure = "client " + client.number() + ": " + failed.getMessage();
            key.cancel();
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        selector.wakeup();
        try {
            thread.join();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
        cutAll();
        selector.close();
    }
}

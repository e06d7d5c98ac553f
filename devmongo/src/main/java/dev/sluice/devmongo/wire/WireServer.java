package dev.sluice.devmongo.wire;

import dev.sluice.net.BindRefusedException;
import dev.sluice.net.ListenAddress;
import dev.sluice.net.Listening;
import dev.sluice.net.Protection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listens on loopback and gives every client a virtual thread. Closing ends all connections. */
public final class WireServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WireServer.class);

    static final Duration PAUSE = Duration.ofMillis(100);
    private static final int FIRST_PORT = 10_000;
    private static final int END_OF_PORTS = 32_000;

    private final ServerSocket listening;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final ReplyGate gate;
    private final AtomicInteger connectionIds = new AtomicInteger();
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Thread accepting;

    WireServer(ServerSocket listening, ReplyGate gate) {
        this.listening = listening;
        this.gate = gate;
    }

    /** Takes the port, 0 a free one; clients wait until {@link #serve} is called. */
    public static WireServer bind(int port, ReplyGate gate) {
        return new WireServer(port == 0 ? listenAnywhere() : listen(port), gate);
    }

    /** Starts to accept clients, once. */
    public void serve(Dispatcher dispatcher) {
        accepting = Thread.ofVirtual().name("devmongo-accept").start(() -> accept(dispatcher));
    }

    private static ServerSocket listen(int port) {
        try {
            return Listening.open("devmongo", ListenAddress.loopback(port), Protection.NONE);
        } catch (IOException failed) {
            throw new UncheckedIOException("devmongo cannot listen on port " + port, failed);
        }
    }

    /**
     * A free port below the range for outgoing connections: there, a client that reconnects while we restart could get our
     * own port as its end, and we could not bind it again.
     */
    private static ServerSocket listenAnywhere() {
        for (int attempt = 0; attempt < 100; attempt++) {
            try {
                return listen(ThreadLocalRandom.current().nextInt(FIRST_PORT, END_OF_PORTS));
            } catch (BindRefusedException taken) {
                LOG.debug("Trying another port: {}", taken.getMessage());
            }
        }
        return listen(0);
    }

    public int port() {
        return listening.getLocalPort();
    }

    private void accept(Dispatcher dispatcher) {
        boolean warned = false;
        while (!listening.isClosed()) {
            try {
                open(listening.accept(), dispatcher);
                warned = false;
            } catch (IOException failed) {
                if (!listening.isClosed()) {
                    warned = pauseAfter(failed, warned);
                }
            }
        }
    }

    /** Says a failure once until a client gets through again, and leaves the machine time to recover. */
    private boolean pauseAfter(IOException failed, boolean warned) {
        if (!warned) {
            LOG.warn(
                    "devmongo cannot accept clients on port {} and tries again every {} ms: {}",
                    port(),
                    PAUSE.toMillis(),
                    failed.getMessage());
        }
        try {
            closed.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return true;
    }

    private void open(Socket socket, Dispatcher dispatcher) {
        Connection connection = new Connection(connectionIds.incrementAndGet(), socket, dispatcher, gate);
        connections.add(connection);
        Thread.ofVirtual().name("devmongo-" + connection.id()).start(() -> {
            try {
                connection.run();
            } finally {
                connections.remove(connection);
            }
        });
        if (listening.isClosed()) {
            connection.close();
        }
    }

    /** Cuts every client off, without a word. */
    public void dropConnections() {
        connections.forEach(Connection::close);
    }

    /** Stops listening, and says so to replies that would otherwise stream for ever. */
    public void announceClosing() {
        stopListening();
        connections.forEach(Connection::announceClosing);
    }

    /** Stops listening and lets each connection send the reply it is making. */
    public void finish(Duration limit) throws InterruptedException {
        stopListening();
        for (Connection connection : connections) {
            connection.finish(limit);
        }
    }

    @Override
    public void close() {
        stopListening();
        dropConnections();
    }

    /** The port is free again only when the thread that waits for clients has let go of it. */
    private void stopListening() {
        try {
            closed.countDown();
            listening.close();
            Thread thread = accepting;
            if (thread != null) {
                thread.join();
            }
        } catch (IOException alreadyClosed) {
            LOG.debug("Was closed already: {}", alreadyClosed.getMessage());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

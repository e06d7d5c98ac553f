package dev.sluice.testkit.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A TCP proxy on loopback in front of a server, which turns the network bad and good again while the test runs. Clients
 * connect to {@link #port()}; at first everything passes.
 *
 * <pre>{@code
 * try (var network = FaultProxy.inFrontOf(server.port())) {
 *     network.set(Direction.TO_CLIENT, new Fault.Delay(ofMillis(50), ofMillis(20)));
 *     network.set(new Fault.Swallow());   // a black hole, both ways
 *     network.cut();                      // every connection reset, new ones refused
 *     network.heal();
 * }
 * }</pre>
 *
 * <p>A {@link Fault} holds for all connections, present and future. Memory per connection is bounded (about 2 MiB); a
 * receiver that does not read slows its sender down, as without the proxy. Any thread may call any method.
 */
public final class FaultProxy implements AutoCloseable {
    private static final Duration REFUSAL_TIMEOUT = Duration.ofSeconds(10);

    private final Link toTarget = new Link();
    private final Link toClient = new Link();
    private final int targetPort;
    /** Bound, never listening: the port stays ours while connections are refused. */
    private final Socket portHolder;

    private final int port;

    private final Set<Connection> open = new HashSet<>();
    private ServerSocket listener;
    private Thread acceptor;
    private boolean accepting;
    private long accepted;
    private long drops;

    private FaultProxy(int targetPort) throws IOException {
        this.targetPort = targetPort;
        this.portHolder = new Socket();
        portHolder.setReuseAddress(true);
        portHolder.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        this.port = portHolder.getLocalPort();
        this.listener = bind();
        this.acceptor = accept(listener);
        this.accepting = true;
    }

    /** A healthy proxy in front of this port on loopback; the target need not listen yet. */
    public static FaultProxy inFrontOf(int targetPort) {
        try {
            return new FaultProxy(targetPort);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot listen on a free loopback port.", e);
        }
    }

    /** Where clients connect, on loopback; the same for the proxy's whole life. */
    public int port() {
        return port;
    }

    /** Does this to both directions from now on. */
    public void set(Fault fault) {
        set(Direction.TO_TARGET, fault);
        set(Direction.TO_CLIENT, fault);
    }

    /** Does this to one direction from now on. */
    public void set(Direction direction, Fault fault) {
        link(direction).set(fault);
        if (!(fault instanceof Fault.Swallow)) {
            snapshot().stream().filter(Connection::hasLostBytes).forEach(Connection::abort);
        }
    }

    /** Resets every connection; new ones are welcome. */
    public void dropConnections() {
        dropConnections(Connection::abort);
    }

    /** Resets every connection and refuses new ones until {@link #heal()}. */
    public void cut() {
        stopListening();
        awaitRefusal();
        dropConnections();
    }

    /** Ends one direction of every open connection; the other goes on. Cannot be healed, only connected anew. */
    public void halfClose(Direction direction) {
        snapshot().forEach(connection -> connection.halfClose(direction));
    }

    /** Back to normal: both directions pass, new connections are accepted. */
    public void heal() {
        set(new Fault.Pass());
        synchronized (this) {
            if (!accepting && !portHolder.isClosed()) {
                try {
                    listener = bind();
                    acceptor = accept(listener);
                    accepting = true;
                } catch (IOException e) {
                    throw new UncheckedIOException("Cannot listen on port " + port() + " again.", e);
                }
            }
        }
    }

    /** How many connections have been accepted so far. */
    public synchronized long connections() {
        return accepted;
    }

    /** How many of them are open now. */
    public synchronized int openConnections() {
        return open.size();
    }

    /** How many bytes have been passed on in this direction so far. */
    public long bytes(Direction direction) {
        return link(direction).forwarded();
    }

    @Override
    public void close() {
        Connection.closeQuietly(portHolder, false);
        stopListening();
        dropConnections();
    }

    Link link(Direction direction) {
        return direction == Direction.TO_TARGET ? toTarget : toClient;
    }

    void dropConnections(Consumer<Connection> how) {
        synchronized (this) {
            drops++;
        }
        snapshot().forEach(how);
    }

    synchronized void closed(Connection connection) {
        open.remove(connection);
    }

    private synchronized List<Connection> snapshot() {
        return List.copyOf(open);
    }

    private ServerSocket bind() throws IOException {
        ServerSocket socket = new ServerSocket();
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return socket;
    }

    private Thread accept(ServerSocket socket) {
        return Thread.ofVirtual().name("fault-proxy-accept").start(() -> acceptFrom(socket));
    }

    /** The port is really closed only when the acceptor has left it, hence the join: not under the lock, it needs that. */
    private void stopListening() {
        Thread last;
        synchronized (this) {
            accepting = false;
            last = acceptor;
            try {
                listener.close();
            } catch (IOException e) {
                throw new UncheckedIOException("Cannot stop listening on port " + port() + ".", e);
            }
        }
        try {
            last.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * A process that this JVM is starting holds copies of all its sockets until it has closed them, the listening one too:
     * until then the kernel goes on completing connections.
     */
    private void awaitRefusal() {
        InetSocketAddress self = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        long end = System.nanoTime() + REFUSAL_TIMEOUT.toNanos();
        while (System.nanoTime() - end < 0) {
            try (Socket probe = new Socket()) {
                probe.connect(self, (int) REFUSAL_TIMEOUT.toMillis());
            } catch (IOException refused) {
                return;
            }
        }
        throw new IllegalStateException("Port " + port + " still accepts connections though nothing listens on it.");
    }

    private void acceptFrom(ServerSocket socket) {
        while (true) {
            try {
                Socket client = socket.accept();
                long before = countAccepted();
                Thread.ofVirtual().name("fault-proxy-connect").start(() -> connect(client, before));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private synchronized long countAccepted() {
        accepted++;
        return drops;
    }

    private void connect(Socket client, long dropsBefore) {
        Socket target = new Socket();
        try {
            client.setTcpNoDelay(true);
            target.setTcpNoDelay(true);
            target.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), targetPort), 10_000);
        } catch (IOException targetAway) {
            Connection.closeQuietly(client, true);
            Connection.closeQuietly(target, true);
            return;
        }
        Connection connection = new Connection(this, client, target);
        if (register(connection, dropsBefore)) {
            connection.start();
        } else {
            connection.abort();
        }
    }

    /** False when all connections were dropped while this one was being made. */
    private synchronized boolean register(Connection connection, long dropsBefore) {
        return drops == dropsBefore && open.add(connection);
    }

    @Override
    public String toString() {
        return "FaultProxy(" + port() + " → " + targetPort + ")";
    }
}

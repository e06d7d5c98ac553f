package dev.sluice.testkit.faults;

import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A client's connection and its twin to the target, with a {@link Pump} each way. Closes both sockets together. */
final class Connection {

    private interface Loop {
        void run() throws InterruptedException;
    }

    private final FaultProxy proxy;
    private final Socket client;
    private final Socket target;
    private final Pump toTarget;
    private final Pump toClient;
    private final AtomicInteger openDirections = new AtomicInteger(2);
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    Connection(FaultProxy proxy, Socket client, Socket target) {
        this.proxy = proxy;
        this.client = client;
        this.target = target;
        this.toTarget = new Pump(proxy.link(Direction.TO_TARGET), this, client, target);
        this.toClient = new Pump(proxy.link(Direction.TO_CLIENT), this, target, client);
    }

    synchronized void start() {
        run("read-from-client", toTarget::read);
        run("write-to-target", toTarget::write);
        run("read-from-target", toClient::read);
        run("write-to-client", toClient::write);
    }

    private void run(String role, Loop loop) {
        threads.add(Thread.ofVirtual().name("fault-proxy-" + role).start(() -> {
            try {
                loop.run();
            } catch (InterruptedException closed) {
                Thread.currentThread().interrupt();
            }
        }));
    }

    boolean hasLostBytes() {
        return toTarget.hasLostBytes() || toClient.hasLostBytes();
    }

    void halfClose(Direction direction) {
        try {
            (direction == Direction.TO_TARGET ? toTarget : toClient).end();
        } catch (IOException alreadyClosed) {
            abort();
        }
    }

    /** One direction has been passed on to its end; after both nothing is left to do. */
    void endOfOne() {
        if (openDirections.decrementAndGet() == 0) {
            close();
        }
    }

    void cutAll() {
        proxy.dropConnections(Connection::close);
    }

    boolean isClosed() {
        return closed.get();
    }

    /** Resets both sides: each gets "connection reset", at once. */
    void abort() {
        close(true);
    }

    /** Closes both sides; what has been written still arrives. */
    void close() {
        close(false);
    }

    /** The flag goes first, so that the pumps do not mistake the closed sockets for news to be passed on. */
    private void close(boolean abruptly) {
        if (closed.compareAndSet(false, true)) {
            proxy.closed(this);
            closeQuietly(client, abruptly);
            closeQuietly(target, abruptly);
            interruptAll();
        }
    }

    private synchronized void interruptAll() {
        threads.forEach(Thread::interrupt);
    }

    static void closeQuietly(Socket socket, boolean abruptly) {
        try (socket) {
            if (abruptly && !socket.isClosed()) {
                socket.setSoLinger(true, 0);
            }
        } catch (IOException alreadyGone) {
            // Which is what was wanted.
        }
    }
}

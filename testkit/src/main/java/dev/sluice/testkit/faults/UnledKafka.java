package dev.sluice.testkit.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A proxy in front of a Kafka broker that shows a partition without a leader, as producers meet it right after a topic was
 * created. Clients connect to {@link #port()}, and are told to come back to it. Everything passes, except the next produce
 * request after {@link #refuseNextProduce()}: the proxy answers it with {@code NOT_LEADER_OR_FOLLOWER}, and the broker never
 * sees it.
 *
 * <p>The refusal waits until the client has sent another produce request behind the first one, which is then passed on: the
 * order of events of a broker that becomes leader between two requests. A client that keeps one request in flight is refused
 * after {@link KafkaRelay#HELD_MS}.
 */
public final class UnledKafka implements AutoCloseable {
    private final int brokerPort;
    private final ServerSocket listener;
    private final AtomicBoolean refusing = new AtomicBoolean();
    private final AtomicInteger refused = new AtomicInteger();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    private UnledKafka(int brokerPort) throws IOException {
        this.brokerPort = brokerPort;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().name("unled-kafka-accept").start(this::accept);
    }

    /** @param brokerPort where the broker listens, on loopback */
    public static UnledKafka inFrontOf(int brokerPort) {
        try {
            return new UnledKafka(brokerPort);
        } catch (IOException failed) {
            throw new UncheckedIOException("Cannot listen on a free loopback port.", failed);
        }
    }

    public int port() {
        return listener.getLocalPort();
    }

    public void refuseNextProduce() {
        refusing.set(true);
    }

    /** How many produce requests were refused. */
    public int refused() {
        return refused.get();
    }

    boolean takeRefusal() {
        boolean taken = refusing.compareAndSet(true, false);
        if (taken) {
            refused.incrementAndGet();
        }
        return taken;
    }

    private void accept() {
        while (true) {
            try {
                Socket client = listener.accept();
                Socket broker = new Socket(InetAddress.getLoopbackAddress(), brokerPort);
                open.add(client);
                open.add(broker);
                new KafkaRelay(this, client, broker).start();
            } catch (IOException closed) {
                return;
            }
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException failed) {
            throw new UncheckedIOException("Cannot stop listening on port " + port() + ".", failed);
        }
        open.forEach(socket -> Connection.closeQuietly(socket, true));
    }
}

package dev.sluice.testkit.faults;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestHeader;

/** The connection of a client through {@link UnledKafka}, which passes whole requests and whole responses. */
final class KafkaRelay {
    /** How long a refusal waits for a second produce request. */
    static final int HELD_MS = 500;

    private final UnledKafka proxy;
    private final Socket client;
    private final Socket broker;
    /** Requests without an answer so far; a broker answers those of one connection in their order. */
    private final Queue<RequestHeader> unanswered = new ArrayDeque<>();

    KafkaRelay(UnledKafka proxy, Socket client, Socket broker) {
        this.proxy = proxy;
        this.client = client;
        this.broker = broker;
    }

    void start() throws IOException {
        client.setTcpNoDelay(true);
        broker.setTcpNoDelay(true);
        Thread.ofVirtual().name("unled-kafka-requests").start(() -> untilClosed(this::relayRequests));
        Thread.ofVirtual().name("unled-kafka-responses").start(() -> untilClosed(this::relayResponses));
    }

    @FunctionalInterface
    private interface Relaying {
        void run() throws IOException, InterruptedException;
    }

    private void untilClosed(Relaying relaying) {
        try {
            relaying.run();
        } catch (IOException | InterruptedException ended) {
            // The other side is told by its own socket.
        } finally {
            Connection.closeQuietly(client, true);
            Connection.closeQuietly(broker, true);
        }
    }

    private void relayRequests() throws IOException, InterruptedException {
        DataInputStream in = new DataInputStream(client.getInputStream());
        DataOutputStream out = new DataOutputStream(broker.getOutputStream());
        while (true) {
            byte[] request = in.readNBytes(in.readInt());
            if (isProduce(request) && proxy.takeRefusal()) {
                List<byte[]> behind = requestsBehind(in);
                awaitAnswers();
                write(new DataOutputStream(client.getOutputStream()), KafkaMessages.notLeader(request));
                for (byte[] each : behind) {
                    pass(each, out);
                }
            } else {
                pass(request, out);
            }
        }
    }

    /** Reads on until a second produce request has come, or none comes. */
    private List<byte[]> requestsBehind(DataInputStream in) throws IOException {
        List<byte[]> behind = new ArrayList<>();
        client.setSoTimeout(HELD_MS);
        try {
            do {
                byte first = in.readByte();
                client.setSoTimeout(0);
                byte[] length = {first, in.readByte(), in.readByte(), in.readByte()};
                behind.add(in.readNBytes(ByteBuffer.wrap(length).getInt()));
                client.setSoTimeout(HELD_MS);
            } while (!isProduce(behind.getLast()));
        } catch (SocketTimeoutException none) {
            // The client waits for the answer to the first one.
        }
        client.setSoTimeout(0);
        return behind;
    }

    private static boolean isProduce(byte[] request) {
        return ByteBuffer.wrap(request).getShort() == ApiKeys.PRODUCE.id;
    }

    private void pass(byte[] request, DataOutputStream out) throws IOException {
        synchronized (unanswered) {
            unanswered.add(RequestHeader.parse(ByteBuffer.wrap(request)));
        }
        write(out, request);
    }

    /** The client expects answers in the order of its requests. */
    private void awaitAnswers() throws InterruptedException {
        synchronized (unanswered) {
            while (!unanswered.isEmpty()) {
                unanswered.wait();
            }
        }
    }

    private void relayResponses() throws IOException {
        DataInputStream in = new DataInputStream(broker.getInputStream());
        DataOutputStream out = new DataOutputStream(client.getOutputStream());
        while (true) {
            byte[] response = in.readNBytes(in.readInt());
            RequestHeader of;
            synchronized (unanswered) {
                of = unanswered.element();
            }
            write(
                    out,
                    of.apiKey() == ApiKeys.METADATA
                            ? KafkaMessages.metadataWithPort(of, response, proxy.port())
                            : response);
            synchronized (unanswered) {
                unanswered.remove();
                unanswered.notifyAll();
            }
        }
    }

    private static void write(DataOutputStream out, byte[] message) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + message.length);
        out.write(frame.putInt(message.length).put(message).array());
    }
}

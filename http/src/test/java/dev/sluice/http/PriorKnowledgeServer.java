package dev.sluice.http;

import dev.sluice.testkit.contract.Received;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Speaks HTTP/2 in cleartext from the first byte, and nothing else; frame by frame, so that it depends on no library's
 * manners. It reads slowly: the window of a stream opens again only when all of it is used up. Whoever sends more than a
 * window allows is cut off (RFC 9113, section 5.2).
 */
final class PriorKnowledgeServer implements AutoCloseable {
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int WINDOW_UPDATE = 8;
    private static final int ACK = 1;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int WINDOW = 65_535;

    /** The compressed form of {@code :status: 200}. */
    private static final byte[] OK = {(byte) 0x88};

    private final ServerSocket listening;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    final AtomicInteger connections = new AtomicInteger();
    final Queue<Received> received = new ConcurrentLinkedQueue<>();
    final Queue<String> violations = new ConcurrentLinkedQueue<>();

    PriorKnowledgeServer() throws IOException {
        listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    String url() {
        return "http://127.0.0.1:" + listening.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listening.accept();
                socket.setTcpNoDelay(true);
                sockets.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            if (Arrays.equals(in.readNBytes(PREFACE.length), PREFACE)) {
                connections.incrementAndGet();
                new Talk(in, new DataOutputStream(socket.getOutputStream())).run();
            }
        } catch (IOException gone) {
            // So is the client.
        }
    }

    private final class Talk {
        private final DataInputStream in;
        private final DataOutputStream out;
        private final Map<Integer, ByteArrayOutputStream> bodies = new HashMap<>();
        private final Map<Integer, Integer> windows = new HashMap<>();
        private int window = WINDOW;

        Talk(DataInputStream in, DataOutputStream out) {
            this.in = in;
            this.out = out;
        }

        void run() throws IOException {
            write(SETTINGS, 0, 0, new byte[0]);
            while (violations.isEmpty()) {
                int length = (in.readUnsignedShort() << 8) | in.readUnsignedByte();
                int type = in.readUnsignedByte();
                int flags = in.readUnsignedByte();
                int stream = in.readInt();
                handle(type, flags, stream, in.readNBytes(length));
            }
        }

        private void handle(int type, int flags, int stream, byte[] payload) throws IOException {
            if ((type == SETTINGS || type == PING) && (flags & ACK) == 0) {
                write(type, ACK, 0, type == PING ? payload : new byte[0]);
            }
            if (type == HEADERS) {
                bodies.put(stream, new ByteArrayOutputStream());
                windows.put(stream, WINDOW);
            }
            if (type == DATA) {
                take(stream, payload);
            }
            if ((type == DATA || type == HEADERS) && (flags & END_STREAM) != 0) {
                answer(stream, bodies.remove(stream).toByteArray());
            }
        }

        private void take(int stream, byte[] data) throws IOException {
            window -= data.length;
            int left = windows.merge(stream, -data.length, Integer::sum);
            if (window < 0 || left < 0) {
                violations.add("stream " + stream + " sent " + -Math.min(window, left) + " bytes more than allowed");
                return;
            }
            bodies.get(stream).writeBytes(data);
            if (data.length > 0) {
                window += data.length;
                open(0, data.length);
            }
            if (left == 0) {
                windows.put(stream, WINDOW);
                open(stream, WINDOW - left);
            }
        }

        private void open(int stream, int increment) throws IOException {
            write(WINDOW_UPDATE, 0, stream, new byte[] {
                (byte) (increment >> 24), (byte) (increment >> 16), (byte) (increment >> 8), (byte) increment
            });
        }

        private void answer(int stream, byte[] body) throws IOException {
            if (body.length == 0) {
                write(HEADERS, END_HEADERS | END_STREAM, stream, OK);
                return;
            }
            var events = Received.body(body);
            received.addAll(events);
            write(HEADERS, END_HEADERS, stream, OK);
            write(DATA, END_STREAM, stream, ("{\"accepted\":" + events.size() + "}").getBytes(StandardCharsets.UTF_8));
        }

        private void write(int type, int flags, int stream, byte[] payload) throws IOException {
            out.writeShort(payload.length >> 8);
            out.writeByte(payload.length);
            out.writeByte(type);
            out.writeByte(flags);
            out.writeInt(stream);
            out.write(payload);
            out.flush();
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}

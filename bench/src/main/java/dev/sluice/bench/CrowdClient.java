package dev.sluice.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** An end user of a {@link Crowd}: its connection and its progress. Not thread-safe: only the thread of the crowd calls it. */
final class CrowdClient implements ClientProtocol.Events {
    /** Clients per source address: an address has about 28,000 ports for outgoing connections. */
    private static final int PER_ADDRESS = 2_000;

    private final int number;
    private final CrowdCounts counts;
    private @Nullable SocketChannel channel;
    private ClientProtocol.@Nullable Reader reader;
    private boolean open;
    private int last;
    private String lastId = "";

    CrowdClient(int number, CrowdCounts counts) {
        this.number = number;
        this.counts = counts;
    }

    /** Each 2,000 clients come from an address of their own: 127.0.1.1, 127.0.1.2 and so on. */
    private InetSocketAddress source() {
        return new InetSocketAddress("127.0.1." + (1 + number / PER_ADDRESS), 0);
    }

    void connect(InetSocketAddress server, ClientProtocol protocol, Selector selector) throws IOException {
        SocketChannel opened = SocketChannel.open();
        channel = opened;
        reader = protocol.reader(number, lastId, this);
        opened.bind(source());
        opened.configureBlocking(false);
        // Closing sends a reset: no port waits for late packets, and the server sees a client that is suddenly gone.
        opened.setOption(StandardSocketOptions.SO_LINGER, 0);
        opened.setOption(StandardSocketOptions.TCP_NODELAY, true);
        boolean connected = opened.connect(server);
        SelectionKey key = opened.register(selector, SelectionKey.OP_CONNECT, this);
        if (connected) {
            connected(key, protocol);
        }
    }

    void connected(SelectionKey key, ClientProtocol protocol) throws IOException {
        SocketChannel socket = (SocketChannel) key.channel();
        socket.finishConnect();
        key.interestOps(SelectionKey.OP_READ);
        send(socket, protocol.request(number, lastId));
    }

    /**
     * Reads what there is.
     *
     * @throws IllegalStateException when the server ended the connection or refused it
     */
    void read(ByteBuffer buffer, byte[] bytes) throws IOException {
        SocketChannel socket = channel;
        ClientProtocol.Reader parser = reader;
        if (socket == null || parser == null) {
            return;
        }
        buffer.clear();
        int length = socket.read(buffer);
        if (length < 0) {
            throw new IllegalStateException("the server closed the connection");
        }
        buffer.flip().get(bytes, 0, length);
        byte[] answer = parser.read(bytes, length);
        if (answer.length > 0) {
            send(socket, answer);
        }
    }

    /** Requests and pongs are small: they have room in the socket's buffer. */
    private void send(SocketChannel socket, byte[] bytes) throws IOException {
        if (socket.write(ByteBuffer.wrap(bytes)) < bytes.length) {
            throw new IllegalStateException("the server does not read");
        }
    }

    /** Cuts the connection; what the client got, and its last id, stay. */
    void cut() throws IOException {
        SocketChannel socket = channel;
        if (socket != null) {
            socket.close();
        }
        channel = null;
        reader = null;
        open = false;
    }

    /** Another end user takes the place of this one: it has got nothing yet. */
    void forget(int lastEvent) {
        last = lastEvent;
        lastId = "";
    }

    int number() {
        return number;
    }

    boolean isOpen() {
        return open;
    }

    @Override
    public void opened() {
        open = true;
        counts.opened();
    }

    @Override
    public void refused() {
        counts.refused();
    }

    @Override
    public void event(int event) {
        counts.received(number, event, last);
        last = Math.max(last, event);
    }

    @Override
    public void lastId(String id) {
        lastId = id;
    }
}

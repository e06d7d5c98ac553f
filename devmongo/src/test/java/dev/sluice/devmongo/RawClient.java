package dev.sluice.devmongo;

import dev.sluice.devmongo.wire.BsonBytes;
import dev.sluice.devmongo.wire.Frame;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.bson.BsonDocument;

/** Speaks OP_MSG over a socket and nothing more: what the recordings were made with. */
final class RawClient implements AutoCloseable {
    private static final int OP_MSG = 2013;

    private final Socket socket;
    private final InputStream in;
    private int lastId;
    private int lastReplyBytes;

    RawClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    }

    BsonDocument run(BsonDocument command) throws IOException {
        send(command);
        return receive();
    }

    void send(BsonDocument command) throws IOException {
        byte[] body = BsonBytes.encode(command);
        ByteBuffer message =
                ByteBuffer.allocate(Frame.HEADER_BYTES + 5 + body.length).order(ByteOrder.LITTLE_ENDIAN);
        message.putInt(message.capacity()).putInt(++lastId).putInt(0).putInt(OP_MSG);
        message.putInt(0).put((byte) 0).put(body);
        sendBytes(message.array());
    }

    void sendBytes(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** The next reply; fails with EOFException when the server closed the connection instead. */
    BsonDocument receive() throws IOException {
        return BsonBytes.decode(receiveBody());
    }

    /** The body document of the next reply, undecoded. */
    ByteBuffer receiveBody() throws IOException {
        try {
            Frame frame = Frame.read(in);
            if (frame == null) {
                throw new EOFException("connection closed by server");
            }
            ByteBuffer body = frame.body();
            body.position(5);
            lastReplyBytes = body.remaining();
            return body;
        } catch (SocketException reset) {
            throw new EOFException("connection closed by server: " + reset.getMessage());
        }
    }

    int lastReplyBytes() {
        return lastReplyBytes;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

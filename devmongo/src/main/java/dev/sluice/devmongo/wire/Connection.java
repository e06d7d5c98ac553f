package dev.sluice.devmongo.wire;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.bson.BsonDocument;
import org.bson.io.BasicOutputBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One client: reads requests and writes replies, one at a time, until either side closes. */
public final class Connection implements Runnable, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);
    /** Enough for a full batch of events, so that a busy stream does not grow its buffer again for each. */
    private static final int KEEP_BUFFER_BYTES = 33 << 20;

    private final int id;
    private final Socket socket;
    private final Dispatcher dispatcher;
    private final ReplyGate gate;
    private final ReentrantLock turn = new ReentrantLock();
    private BasicOutputBuffer out = new BasicOutputBuffer(64 << 10);
    private int lastReplyId;
    private volatile boolean closing;

    Connection(int id, Socket socket, Dispatcher dispatcher, ReplyGate gate) {
        this.id = id;
        this.socket = socket;
        this.dispatcher = dispatcher;
        this.gate = gate;
    }

    /** What {@code hello} reports as connectionId. */
    public int id() {
        return id;
    }

    public String peer() {
        return socket.getInetAddress().getHostAddress() + ":" + socket.getPort();
    }

    @Override
    public void run() {
        try (socket) {
            socket.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(socket.getInputStream(), 64 << 10);
            OutputStream replies = socket.getOutputStream();
            for (Frame frame = Frame.read(in); frame != null; frame = Frame.read(in)) {
                turn.lock();
                try {
                    answer(decode(frame), replies);
                } finally {
                    turn.unlock();
                }
            }
        } catch (Dispatcher.ConnectionDropped | IOException gone) {
            LOG.debug("Connection {} ended: {}", id, gone.getMessage());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException bug) {
            LOG.warn("Connection {} is closed after an unexpected error.", id, bug);
        }
    }

    private static Request decode(Frame frame) throws MalformedFrame {
        return switch (frame.opCode()) {
            case OpMsg.OP_CODE -> OpMsg.decode(frame);
            case LegacyQuery.OP_CODE -> LegacyQuery.decode(frame);
            default -> throw new MalformedFrame("Operation " + frame.opCode() + " is not spoken here.");
        };
    }

    private void answer(Request request, OutputStream replies) throws IOException, InterruptedException {
        Reply reply = dispatcher.dispatch(request, this);
        gate.await();
        BsonDocument next = request.exhaustAllowed() ? reply.next() : null;
        while (next != null && !closing) {
            send(request, reply, true, replies);
            request = request.next(lastReplyId, next);
            reply = dispatcher.dispatch(request, this);
            gate.await();
            next = reply.next();
        }
        if (request.expectsReply()) {
            send(request, reply, false, replies);
        }
    }

    private void send(Request request, Reply reply, boolean moreToCome, OutputStream replies) throws IOException {
        out.truncateToPosition(0);
        int replyId = ++lastReplyId;
        if (request.legacy()) {
            LegacyQuery.encode(out, replyId, request.requestId(), reply);
        } else {
            OpMsg.encode(out, replyId, request.requestId(), reply, moreToCome);
        }
        replies.write(out.getInternalBuffer(), 0, out.getPosition());
        if (out.getInternalBuffer().length > KEEP_BUFFER_BYTES) {
            out = new BasicOutputBuffer(64 << 10);
        }
    }

    /** From now on a streaming reply ends with the one being made. */
    void announceClosing() {
        closing = true;
    }

    /** Closes once the reply being made is sent, or after {@code limit} if that takes longer. */
    void finish(Duration limit) throws InterruptedException {
        boolean idle = turn.tryLock(limit.toMillis(), TimeUnit.MILLISECONDS);
        close();
        if (idle) {
            turn.unlock();
        }
    }

    /** Closes the socket; the thread notices and ends. */
    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException alreadyGone) {
            LOG.debug("Connection {} was gone already.", id);
        }
    }
}

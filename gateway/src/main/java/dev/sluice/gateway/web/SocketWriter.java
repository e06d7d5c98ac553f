package dev.sluice.gateway.web;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataWriter;
import io.helidon.websocket.WsCloseCodes;
import io.helidon.websocket.WsSession;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes the messages of one WebSocket, on a virtual thread that exists only while there is something to write: a client that
 * does not read blocks only its own writer, and an idle socket holds no second thread.
 */
final class SocketWriter {
    private static final ThreadFactory WRITERS =
            Thread.ofVirtual().name("gateway-websocket").factory();

    private final WsSession socket;
    private final SocketFrames frames;
    private final Caller caller;
    private final Clock clock;
    private final Runnable whenOver;

    /** Calls of {@link #wake} that the writing thread has not seen; above zero while there is such a thread. */
    private final AtomicInteger wakes = new AtomicInteger();

    private volatile boolean over;

    /** Set when a ping is due: gives the messages for a client that is idle. */
    private final AtomicReference<@Nullable Supplier<List<ClientMessage>>> pingDue = new AtomicReference<>();

    /** Helidon's session is for one thread at a time. */
    private final ReentrantLock sending = new ReentrantLock();

    /**
     * @param socket sends control frames
     * @param out writes to the same connection
     * @param whenOver called when the client is gone, or was told that the connection ends
     */
    SocketWriter(WsSession socket, DataWriter out, Caller caller, Clock clock, Runnable whenOver) {
        this.socket = socket;
        this.frames = new SocketFrames(out);
        this.caller = caller;
        this.clock = clock;
        this.whenOver = whenOver;
    }

    /** Says that the queue has changed. Does not block. */
    void wake(ClientQueue queue) {
        if (wakes.getAndIncrement() != 0) {
            return;
        }
        try {
            WRITERS.newThread(() -> run(queue)).start();
        } catch (RuntimeException | Error noThread) {
            // The next wake, a ping at the latest, starts one.
            wakes.set(0);
            throw noThread;
        }
    }

    /**
     * Pings the client, which tells whether it is still there, and ends the connection when its token has expired.
     *
     * @param idle gives the messages to send instead of a ping frame; called by the writing thread when no message waits
     */
    void ping(ClientQueue queue, Supplier<List<ClientMessage>> idle) {
        pingDue.set(idle);
        wake(queue);
    }

    /** Whether the connection has ended; true before {@code whenOver} is called. */
    boolean isOver() {
        return over;
    }

    /** Sends a frame of another thread. */
    void send(Runnable frame) {
        sending.lock();
        try {
            frame.run();
        } finally {
            sending.unlock();
        }
    }

    private void run(ClientQueue queue) {
        boolean open = false;
        try {
            open = writeUntilIdle(queue);
        } finally {
            if (!open) {
                over = true;
                whenOver.run();
            }
        }
    }

    /** Returns false when the connection is over: then the wakes stay, and no other thread starts for it. */
    private boolean writeUntilIdle(ClientQueue queue) {
        for (int seen = wakes.get(); seen != 0; seen = wakes.addAndGet(-seen)) {
            if (!writeAll(queue)) {
                return false;
            }
        }
        return true;
    }

    /** Writes what waits. Returns false when the connection is over. */
    private boolean writeAll(ClientQueue queue) {
        try {
            while (!isOver(queue)) {
                List<ClientMessage> messages = queue.takeSome(SocketFrames.MOST_AT_ONCE);
                if (!messages.isEmpty()) {
                    write(messages);
                } else if (!pingIfDue()) {
                    return true;
                }
            }
            boolean expired = caller.isOver(clock);
            send(() -> socket.close(
                    expired ? WsCloseCodes.VIOLATED_POLICY : WsCloseCodes.GOING_AWAY,
                    expired ? "your token has expired" : "come again"));
        } catch (IOException | RuntimeException gone) {
            // The client is gone: no close frame can reach it.
        }
        return false;
    }

    /** Returns false when no ping is due. */
    private boolean pingIfDue() throws IOException {
        Supplier<List<ClientMessage>> idle = pingDue.getAndSet(null);
        if (idle == null) {
            return false;
        }
        List<ClientMessage> messages = idle.get();
        if (messages.isEmpty()) {
            send(() -> socket.ping(BufferData.empty()));
        }
        for (ClientMessage message : messages) {
            write(List.of(message));
        }
        return true;
    }

    private boolean isOver(ClientQueue queue) {
        return queue.isClosed() || caller.isOver(clock);
    }

    private void write(List<ClientMessage> messages) throws IOException {
        sending.lock();
        try {
            frames.write(messages);
        } finally {
            sending.unlock();
        }
    }
}

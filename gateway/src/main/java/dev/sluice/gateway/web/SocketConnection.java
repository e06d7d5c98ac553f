package dev.sluice.gateway.web;

import dev.sluice.gateway.Gateway;
import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataWriter;
import io.helidon.http.DirectHandler;
import io.helidon.http.Headers;
import io.helidon.http.HttpPrologue;
import io.helidon.http.RequestException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.websocket.WsCloseCodes;
import io.helidon.websocket.WsListener;
import io.helidon.websocket.WsSession;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One WebSocket, from its handshake to its end. What comes in is read on the connection's own thread; what goes out is
 * written by another, see {@link SocketWriter}.
 */
final class SocketConnection implements WsListener {
    /** What every WebSocket of this server needs. */
    record Setting(
            Gateway gateway, Doorkeeper door, Seats seats, WebLimits limits, Connections connections, Clock clock) {}

    /** A long message does not leave its buffer with an idle connection. */
    private static final int KEPT_CHARACTERS = 1_024;

    private static final ThreadFactory REQUESTS =
            Thread.ofVirtual().name("gateway-websocket-request").factory();

    private final Setting setting;
    private StringBuilder fragments = new StringBuilder();
    private @Nullable Caller caller;
    private final AtomicReference<@Nullable Running> running = new AtomicReference<>();

    SocketConnection(Setting setting) {
        this.setting = setting;
    }

    /** What there is while it is open. */
    private record Running(
            SocketSession session,
            SocketWriter writer,
            Seats.Seat seat,
            Connections.Open open,
            Connections.Open pings) {
        void end() {
            pings.close();
            // Ahead of the session, which asks the Streamer to end its subscriptions: the client may be waiting to come
            // back.
            seat.close();
            session.close();
            open.close();
        }
    }

    @Override
    public Optional<Headers> onHttpUpgrade(HttpPrologue prologue, Headers headers) {
        try {
            caller = setting.door.admit(headers, prologue.query());
            return Optional.empty();
        } catch (RefusedException refused) {
            setting.connections.counters().refused(refused);
            throw RequestException.builder()
                    .type(DirectHandler.EventType.OTHER)
                    .status(refused.status())
                    .message(refused.reason())
                    .safeMessage(true)
                    .build();
        }
    }

    @Override
    public void onOpen(WsSession socket) {
        Caller who = caller;
        if (who == null) {
            throw new IllegalStateException("a WebSocket was opened without a handshake");
        }
        try {
            Seats.Seat seat =
                    setting.seats.take(socket.socketContext().remotePeer().host());
            start(socket, who, seat);
        } catch (RefusedException full) {
            setting.connections.counters().refused(full);
            socket.close(WsCloseCodes.TRY_AGAIN_LATER, full.reason());
        }
    }

    private void start(WsSession socket, Caller who, Seats.Seat seat) {
        Thread reader = Thread.currentThread();
        SocketWriter writer = new SocketWriter(socket, writer(socket), who, setting.clock, this::end);
        // The reader's socket is the writer's: interrupting it closes the socket, however stuck the writer is.
        ClientQueue queue = new ClientQueue(
                setting.limits,
                setting.connections.queued(),
                setting.connections.counters(),
                reader::interrupt,
                writer::wake);
        SocketSession session = new SocketSession(
                setting.connections.newName(),
                setting.gateway,
                who,
                setting.limits,
                queue,
                setting.connections.counters(),
                setting.clock);
        running.set(new Running(
                session,
                writer,
                seat,
                setting.connections.opened(queue::close),
                setting.connections.pings().add(() -> writer.ping(queue, session::idle))));
        // The server may have been closed, or the client have left, before there was anything to end.
        if (writer.isOver()) {
            end();
        }
    }

    private static DataWriter writer(WsSession socket) {
        if (socket.socketContext() instanceof ConnectionContext connection) {
            return connection.dataWriter();
        }
        throw new IllegalStateException("this version of Helidon does not show a WebSocket's connection");
    }

    @Override
    public void onMessage(WsSession socket, String text, boolean last) {
        Running now = running.get();
        if (now == null) {
            return;
        }
        if (fragments.length() + text.length() > setting.limits.messageBytes()) {
            String most = "a message has at most " + setting.limits.messageBytes() + " bytes";
            send(() -> socket.close(WsCloseCodes.TOO_BIG, most));
            end();
            return;
        }
        fragments.append(text);
        if (last) {
            String message = fragments.toString();
            fragments = fragments.capacity() > KEPT_CHARACTERS ? new StringBuilder() : clear(fragments);
            handle(now.session, message);
        }
    }

    private static StringBuilder clear(StringBuilder text) {
        text.setLength(0);
        return text;
    }

    /**
     * Handles a message on a thread of its own and waits for it. A call to the Streamer needs a deep stack and thread-locals,
     * which would stay with the connection's thread as long as the client: 1.5 KB for each idle one.
     */
    private static void handle(SocketSession session, String message) {
        FutureTask<?> handling = new FutureTask<>(() -> session.receive(message), null);
        REQUESTS.newThread(handling).start();
        try {
            handling.get();
        } catch (InterruptedException cutOff) {
            // The session waits for the message when it is closed: it ends now.
            handling.cancel(true);
            Thread.currentThread().interrupt();
        } catch (ExecutionException failed) {
            throw new IllegalStateException("a message of a WebSocket could not be handled", failed.getCause());
        }
    }

    /** Not while the writer sends; a connection that is over sends nothing. */
    private void send(Runnable frame) {
        Running now = running.get();
        if (now != null) {
            now.writer.send(frame);
        }
    }

    @Override
    public void onMessage(WsSession socket, BufferData data, boolean last) {
        send(() -> socket.close(WsCloseCodes.CANNOT_ACCEPT, "messages are text"));
        end();
    }

    @Override
    public void onPing(WsSession socket, BufferData data) {
        send(() -> socket.pong(data));
    }

    @Override
    public void onClose(WsSession socket, int status, String reason) {
        end();
    }

    @Override
    public void onError(WsSession socket, Throwable why) {
        end();
    }

    private void end() {
        Running now = running.getAndSet(null);
        if (now != null) {
            now.end();
        }
    }
}

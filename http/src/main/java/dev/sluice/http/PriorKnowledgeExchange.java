package dev.sluice.http;

import dev.sluice.deliver.DeliveryReply;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.ConnectionSpec;
import okhttp3.EventListener;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/2 in cleartext from the first byte (RFC 9113, section 3.3). The JDK's client can only upgrade to it from HTTP/1.1, which
 * that RFC dropped; Helidon's overruns the flow-control windows of servers that read slowly (helidon issue 11771).
 */
final class PriorKnowledgeExchange implements HttpExchange {
    private static final int SLICE = 15 << 10;
    private static final int WITH_ITS_END = 4 << 10;

    private final HttpTarget target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final OkHttpClient client;

    PriorKnowledgeExchange(HttpTarget target) {
        this.target = target;
        this.client = new OkHttpClient.Builder()
                .protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE))
                // Without this each client loads the machine's certificates for TLS, which it never speaks.
                .connectionSpecs(List.of(ConnectionSpec.CLEARTEXT))
                .followRedirects(false)
                .retryOnConnectionFailure(false)
                .socketFactory(new GatheringSockets())
                .connectTimeout(target.settings().timeout())
                // Each call has a time of its own; more timers cost a thread's turn for each read and write.
                .readTimeout(Duration.ZERO)
                .writeTimeout(Duration.ZERO)
                .eventListener(new SocketWatch())
                .build();
    }

    @Override
    public HttpReply send(@Nullable HttpContent content, long nanos) throws IOException, TimeoutException {
        Call call = client.newCall(request(content));
        call.timeout().timeout(Math.max(1, nanos), TimeUnit.NANOSECONDS);
        try (Response answer = call.execute()) {
            return new HttpReply(
                    answer.code(),
                    Optional.ofNullable(answer.header("retry-after")),
                    bytes(answer.body().source()));
        } catch (InterruptedIOException late) {
            throw (TimeoutException) new TimeoutException().initCause(late);
        }
    }

    private Request request(@Nullable HttpContent content) {
        Request.Builder request = new Request.Builder().url(target.uri().toString());
        target.headers().forEach(request::header);
        if (content == null) {
            return request.method("OPTIONS", null).build();
        }
        content.headers().forEach(request::header);
        return request.post(new Body(content)).build();
    }

    private static byte[] bytes(BufferedSource source) throws IOException {
        if (source.request(DeliveryReply.MAX_BYTES + 1L)) {
            throw new IOException("the answer has more than " + DeliveryReply.MAX_BYTES + " bytes");
        }
        return source.readByteArray();
    }

    @Override
    public void retire() {
        Executor whenAllHasEnded =
                CompletableFuture.delayedExecutor(target.settings().timeout().toNanos(), TimeUnit.NANOSECONDS);
        whenAllHasEnded.execute(this::close);
    }

    /** The client itself would keep a connection that is in use. */
    @Override
    public void close() {
        client.dispatcher().cancelAll();
        client.connectionPool().evictAll();
        sockets.forEach(PriorKnowledgeExchange::close);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException isClosed) {
            // Nothing is left to do.
        }
    }

    /** Turns Nagle's algorithm off: the body would wait for the receiver's delayed acknowledgement of the headers, 40 ms. */
    private static void sendAtOnce(Socket socket) {
        try {
            socket.setTcpNoDelay(true);
        } catch (SocketException isClosed) {
            // The call finds that out by itself.
        }
    }

    /** The sockets of open connections. */
    Set<Socket> sockets() {
        return sockets;
    }

    private final class SocketWatch extends EventListener {
        @Override
        public void connectionAcquired(Call call, Connection connection) {
            sockets.removeIf(Socket::isClosed);
            Socket socket = connection.socket();
            if (sockets.add(socket)) {
                sendAtOnce(socket);
            }
        }
    }

    /** Sent once: whether it is repeated is the lane's decision. */
    private static final class Body extends RequestBody {
        private final HttpContent content;

        private Body(HttpContent content) {
            this.content = content;
        }

        @Override
        public @Nullable MediaType contentType() {
            return MediaType.parse(content.type());
        }

        @Override
        public long contentLength() {
            return content.length();
        }

        @Override
        public boolean isOneShot() {
            return true;
        }

        /**
         * In slices below the size of a frame. A small body is sent by the client, as the frame that ends the stream; the end of
         * a larger one might wait for a window, and a server that opens it only when all of it is used would wait, too.
         */
        @Override
        public void writeTo(BufferedSink sink) throws IOException {
            int unflushed = 0;
            for (byte[] piece : content.pieces()) {
                for (int at = 0; at < piece.length; at += SLICE) {
                    int size = Math.min(SLICE, piece.length - at);
                    if (unflushed + size > SLICE) {
                        sink.flush();
                        unflushed = 0;
                    }
                    sink.write(piece, at, size);
                    unflushed += size;
                }
            }
            if (content.length() > WITH_ITS_END) {
                sink.flush();
            }
        }
    }
}

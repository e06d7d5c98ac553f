package dev.sluice.devmongo.wire;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

@Isolated("what other servers log would count")
class WireServerTest {
    private final Logger log = (Logger) LoggerFactory.getLogger(WireServer.class);
    private final ListAppender<ILoggingEvent> said = new ListAppender<>();
    private final BlockingQueue<BsonDocument> asked = new LinkedBlockingQueue<>();

    @BeforeEach
    void listen() {
        said.start();
        log.addAppender(said);
    }

    @AfterEach
    void stopListening() {
        log.detachAppender(said);
    }

    @Test
    void aClientThatComesBeforeTheServerIsReadyIsServedOnceItIs() throws Exception {
        try (WireServer server = WireServer.bind(0, new ReplyGate());
                Socket client = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            ask(client);
            assertThat(asked.poll(50, TimeUnit.MILLISECONDS)).isNull();
            server.serve(this::dispatch);
            assertThat(asked.poll(10, TimeUnit.SECONDS)).containsKey("ping");
        }
    }

    @Test
    void failuresToAcceptAreSaidOnceAndDoNotSpin() throws Exception {
        int failures = 3;
        AtomicInteger left = new AtomicInteger(failures);
        ServerSocket flaky = new ServerSocket(0, 50, InetAddress.getLoopbackAddress()) {
            @Override
            public Socket accept() throws IOException {
                if (left.getAndDecrement() > 0) {
                    throw new IOException("Too many open files");
                }
                return super.accept();
            }
        };
        long start = System.nanoTime();
        try (WireServer server = new WireServer(flaky, new ReplyGate())) {
            server.serve(this::dispatch);
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
                ask(client);
                assertThat(asked.poll(10, TimeUnit.SECONDS)).containsKey("ping");
            }
        }
        assertThat(System.nanoTime() - start).isGreaterThan(failures * WireServer.PAUSE.toNanos());
        assertThat(said.list).filteredOn(line -> line.getLevel() == Level.WARN).hasSize(1);
        assertThat(said.list.getFirst().getFormattedMessage()).contains("Too many open files");
    }

    @Test
    void closingIsNotAFailure() {
        WireServer server = WireServer.bind(0, new ReplyGate());
        server.serve(this::dispatch);
        server.close();
        assertThat(said.list).noneMatch(line -> line.getLevel() == Level.WARN);
    }

    private Reply dispatch(Request request, Connection connection) {
        asked.add(request.command());
        throw new Dispatcher.ConnectionDropped();
    }

    private static void ask(Socket client) throws IOException {
        byte[] body = BsonBytes.encode(BsonDocument.parse("{ping: 1, $db: 'admin'}"));
        java.nio.ByteBuffer message = java.nio.ByteBuffer.allocate(Frame.HEADER_BYTES + 5 + body.length)
                .order(java.nio.ByteOrder.LITTLE_ENDIAN);
        message.putInt(message.capacity()).putInt(1).putInt(0).putInt(OpMsg.OP_CODE);
        message.putInt(0).put((byte) 0).put(body);
        client.getOutputStream().write(message.array());
    }
}

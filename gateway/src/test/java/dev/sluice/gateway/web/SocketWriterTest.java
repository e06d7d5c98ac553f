package dev.sluice.gateway.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.StandInStreamer;
import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataWriter;
import io.helidon.common.socket.SocketContext;
import io.helidon.websocket.WsSession;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SocketWriterTest {
    private static final int MANY = 20_000;
    private static final WebLimits LIMITS = new WebLimits(9, 9, 9, 9, MANY, 1 << 20, 64L << 20, Duration.ofSeconds(1));
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final RecordingSession session = new RecordingSession();
    private final AtomicInteger over = new AtomicInteger();

    private ClientQueue queue(SocketWriter writer) {
        QueueMemory memory = new QueueMemory(LIMITS.queuedBytesInAll());
        return new ClientQueue(LIMITS, memory, new WebCounters(), () -> {}, writer::wake);
    }

    private SocketWriter writer(Optional<Instant> until) {
        Caller caller = new Caller("somebody", Optional.empty(), until);
        return new SocketWriter(session, session.out, caller, Clock.fixed(NOW, ZoneOffset.UTC), over::incrementAndGet);
    }

    private void await(String what, String... frames) throws InterruptedException {
        StandInStreamer.await(what, () -> session.frames.equals(List.of(frames)));
    }

    /** Threads end between the messages of one putter and start again at the next. */
    @Test
    void everyMessageOfManyThreadsIsWrittenOnceAndInOrder() throws Exception {
        SocketWriter writer = writer(Optional.empty());
        ClientQueue queue = queue(writer);
        int each = MANY / 4;
        List<Thread> putters = new ArrayList<>();
        for (int p = 0; p < 4; p++) {
            int putter = p;
            putters.add(Thread.ofVirtual()
                    .start(() -> IntStream.range(0, each).forEach(k -> queue.put(ClientMessage.of(putter + "-" + k)))));
        }
        for (Thread putter : putters) {
            putter.join();
        }
        StandInStreamer.await("all are written", () -> session.frames.size() == MANY);
        for (int p = 0; p < 4; p++) {
            String own = p + "-";
            assertThat(session.frames.stream().filter(frame -> frame.startsWith(own)))
                    .containsExactlyElementsOf(
                            IntStream.range(0, each).mapToObj(k -> own + k).toList());
        }
        assertThat(session.mostAtOnce).hasValue(1);
    }

    @Test
    void anIdleClientIsPingedAndAClosedQueueSaysGoodbyeOnce() throws Exception {
        SocketWriter writer = writer(Optional.empty());
        ClientQueue queue = queue(writer);
        writer.ping(queue, List::of);
        await("it is pinged", "ping");
        queue.put(ClientMessage.of("a"));
        await("the message follows", "ping", "a");
        queue.close();
        await("it says goodbye", "ping", "a", "close come again");
        StandInStreamer.await("it is over", () -> over.get() == 1);
        assertThat(writer.isOver()).isTrue();
        writer.ping(queue, List::of);
        queue.put(ClientMessage.of("b"));
        assertThat(session.frames).containsExactly("ping", "a", "close come again");
        assertThat(over).hasValue(1);
    }

    /** Resume ids go out only behind the events that they cover. */
    @Test
    void messagesForAnIdleClientTakeThePlaceOfAPingWhenNothingWaits() throws Exception {
        SocketWriter writer = writer(Optional.empty());
        ClientQueue queue = queue(writer);
        session.reads.drainPermits();
        queue.put(ClientMessage.of("a"));
        session.blocked.await();
        writer.ping(queue, () -> List.of(ClientMessage.of("id"), ClientMessage.of("sign of life")));
        queue.put(ClientMessage.of("b"));
        session.reads.release(MANY);
        await("the messages follow", "a", "b", "id", "sign of life");
    }

    @Test
    void anExpiredTokenEndsTheConnectionAtTheNextPing() throws Exception {
        SocketWriter writer = writer(Optional.of(NOW));
        writer.ping(queue(writer), List::of);
        await("it is told", "close your token has expired");
        StandInStreamer.await("it is over", () -> over.get() == 1);
    }

    @Test
    void aClientThatDoesNotReadBlocksNobodyWhoPutsOrPings() throws Exception {
        SocketWriter writer = writer(Optional.empty());
        ClientQueue queue = queue(writer);
        session.reads.drainPermits();
        queue.put(ClientMessage.of("a"));
        session.blocked.await();
        queue.put(ClientMessage.of("b"));
        writer.ping(queue, List::of);
        assertThat(session.frames).isEmpty();
        session.reads.release(MANY);
        await("all is written when it reads again", "a", "b", "ping");
        assertThat(over).hasValue(0);
        assertThat(writer.isOver()).isFalse();
    }

    @Test
    void whateverASessionThrowsEndsTheConnection() throws Exception {
        SocketWriter writer = writer(Optional.empty());
        session.broken = true;
        queue(writer).put(ClientMessage.of("a"));
        StandInStreamer.await("it is over", () -> over.get() == 1);
    }

    /** Messages that wait together are written together, each as a message of its own. */
    @Test
    void whatWaitsIsWrittenInOneCall() throws Exception {
        SocketWriter writer = writer(Optional.empty());
        ClientQueue queue = queue(writer);
        session.reads.drainPermits();
        queue.put(ClientMessage.of("a"));
        session.blocked.await();
        IntStream.range(0, 100).forEach(k -> queue.put(ClientMessage.of("b".repeat(k))));
        session.reads.release(MANY);
        StandInStreamer.await("all are written", () -> session.frames.size() == 101);
        assertThat(session.frames.subList(1, 101))
                .containsExactlyElementsOf(
                        IntStream.range(0, 100).mapToObj("b"::repeat).toList());
        assertThat(session.calls).hasValue(2);
    }

    @Test
    void aMessageOfAnyLengthArrivesWhole() throws Exception {
        SocketWriter writer = writer(Optional.empty());
        ClientQueue queue = queue(writer);
        List<String> sent = new ArrayList<>();
        for (int length : new int[] {0, 125, 126, 16_384, 16_385, 65_535, 65_536, 200_000}) {
            String text = "ü".repeat(length / 2) + "x".repeat(length % 2);
            sent.add(text);
            queue.put(ClientMessage.of(text));
            sent.add("<" + text + ">");
            queue.put(ClientMessage.around(
                    "<", new EncodedEvent("event " + length, text.getBytes(StandardCharsets.UTF_8)), ">"));
        }
        StandInStreamer.await("all are written", () -> session.frames.size() == sent.size());
        assertThat(session.frames).containsExactlyElementsOf(sent);
    }

    /** Writes messages and control frames down. */
    private static final class RecordingSession implements WsSession {
        private final List<String> frames = Collections.synchronizedList(new ArrayList<>());
        private final AtomicInteger calls = new AtomicInteger();
        private final AtomicInteger atOnce = new AtomicInteger();
        private final AtomicInteger mostAtOnce = new AtomicInteger();
        private final Semaphore reads = new Semaphore(10 * MANY);
        private final CountDownLatch blocked = new CountDownLatch(1);
        private final ByteArrayOutputStream begun = new ByteArrayOutputStream();
        private final DataWriter out = new Out();
        private volatile boolean broken;
        private boolean continues;

        private WsSession call(Runnable write) {
            if (broken) {
                throw new AssertionError("an Error of a library");
            }
            mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            if (!reads.tryAcquire()) {
                blocked.countDown();
                reads.acquireUninterruptibly();
            }
            calls.incrementAndGet();
            write.run();
            atOnce.decrementAndGet();
            return this;
        }

        private WsSession frame(String text) {
            return call(() -> frames.add(text));
        }

        /** Reads frames of a server, which are not masked, as RFC 6455 says. */
        private void read(ByteBuffer bytes) {
            while (bytes.hasRemaining()) {
                int first = bytes.get() & 0xFF;
                assertThat(first & 0x7F).isEqualTo(continues ? 0 : 1);
                long length = bytes.get();
                length = length == 126 ? bytes.getShort() & 0xFFFF : length == 127 ? bytes.getLong() : length;
                byte[] payload = new byte[Math.toIntExact(length)];
                bytes.get(payload);
                begun.writeBytes(payload);
                continues = first < 0x80;
                if (!continues) {
                    frames.add(begun.toString(StandardCharsets.UTF_8));
                    begun.reset();
                }
            }
        }

        /** The connection. */
        private final class Out implements DataWriter {
            @Override
            public void write(BufferData... buffers) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void write(BufferData buffer) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void writeNow(BufferData... buffers) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void writeNow(BufferData buffer) {
                byte[] bytes = new byte[buffer.available()];
                buffer.read(bytes);
                call(() -> read(ByteBuffer.wrap(bytes)));
            }
        }

        @Override
        public WsSession send(String text, boolean last) {
            throw new UnsupportedOperationException("messages go past the session");
        }

        @Override
        public WsSession send(BufferData data, boolean last) {
            throw new UnsupportedOperationException("messages go past the session");
        }

        @Override
        public WsSession ping(BufferData data) {
            return frame("ping");
        }

        @Override
        public WsSession pong(BufferData data) {
            return frame("pong");
        }

        @Override
        public WsSession close(int code, String reason) {
            return frame("close " + reason);
        }

        @Override
        public WsSession terminate() {
            return frame("terminate");
        }

        @Override
        public SocketContext socketContext() {
            throw new UnsupportedOperationException();
        }
    }
}

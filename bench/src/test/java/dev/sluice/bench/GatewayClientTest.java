package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The clients of the gateway benchmark read and count events, in whatever pieces the bytes arrive. */
class GatewayClientTest {
    private static final String UPGRADED = "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n";
    private static final String STREAMING = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

    private final Heard heard = new Heard();

    private static final class Heard implements ClientProtocol.Events {
        private final List<Integer> numbers = new ArrayList<>();
        private final List<String> ids = new ArrayList<>();
        private int opened;
        private int refused;

        @Override
        public void opened() {
            opened++;
        }

        @Override
        public void refused() {
            refused++;
        }

        @Override
        public void event(int number) {
            numbers.add(number);
        }

        @Override
        public void lastId(String id) {
            ids.add(id);
        }
    }

    /** Reads the bytes in pieces of this size. Returns what the client answered. */
    private static byte[] read(ClientProtocol.Reader reader, byte[] bytes, int piece) {
        ByteArrayOutputStream answers = new ByteArrayOutputStream();
        for (int from = 0; from < bytes.length; from += piece) {
            byte[] some = Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + piece));
            answers.writeBytes(reader.read(some, some.length));
        }
        return answers.toByteArray();
    }

    private static byte[] serverFrame(int opcode, byte[] payload) {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.write(0x80 | opcode);
        if (payload.length < 126) {
            frame.write(payload.length);
        } else {
            frame.write(126);
            frame.write(payload.length >> 8);
            frame.write(payload.length);
        }
        frame.writeBytes(payload);
        return frame.toByteArray();
    }

    private static byte[] message(int number, String more) {
        return utf8("{\"id\":\"7\",\"event\":" + new BenchEvent(number).json() + more + "}");
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    @Test
    void webSocketFramesAreReadWhereverTheyAreCut() {
        byte[] bytes = joined(
                utf8(UPGRADED),
                serverFrame(1, message(1, "")),
                serverFrame(9, new byte[] {}),
                serverFrame(1, message(2, "")));
        for (int piece : new int[] {1, 2, 7, 100, bytes.length}) {
            Heard each = new Heard();
            byte[] answers = read(new WebSocketProtocol(false).reader(7, "", each), bytes, piece);
            assertThat(each.opened).isEqualTo(1);
            assertThat(each.numbers).as("pieces of %d", piece).containsExactly(1, 2);
            assertThat(new String(answers, StandardCharsets.UTF_8)).contains("\"op\":\"subscribe\"", "{\"user\":7}");
            assertThat(answers).endsWith(WebSocketProtocol.frame(10, new byte[] {}));
        }
    }

    @Test
    void aRefusedWebSocketClientAsksAgain() {
        byte[] bytes = joined(utf8(UPGRADED), serverFrame(1, utf8("{\"id\":\"7\",\"error\":\"busy\"}")));
        byte[] answers = read(new WebSocketProtocol(false).reader(7, "", heard), bytes, bytes.length);
        assertThat(heard.refused).isEqualTo(1);
        assertThat(new String(answers, StandardCharsets.UTF_8).split("subscribe", -1))
                .hasSize(3);
    }

    @Test
    void webSocketResumesByTheProgressOfTheLastEvent() {
        byte[] bytes = joined(utf8(UPGRADED), serverFrame(1, message(3, ",\"progress\":\"mark~3\"")));
        byte[] answers = read(new WebSocketProtocol(true).reader(7, "mark~2", heard), bytes, bytes.length);
        assertThat(new String(answers, StandardCharsets.UTF_8)).contains("\"lastEventId\":\"mark~2\"");
        assertThat(heard.ids).containsExactly("mark~3");
    }

    @Test
    void serverSentEventsAreReadWhereverTheyAreCut() {
        DeliveryEncoding.ForBareServer encoding = new DeliveryEncoding.ForBareServer(new SseProtocol());
        byte[] both = joined(
                utf8("retry: 500\n\n"),
                encoding.message(7, DeliveryEncoding.EncodedEvent.of(1)),
                utf8(":\n\nid: idle\n\n"),
                encoding.message(7, DeliveryEncoding.EncodedEvent.of(2)));
        byte[] first = Arrays.copyOf(both, 300);
        byte[] rest = Arrays.copyOfRange(both, 300, both.length);
        byte[] bytes = joined(utf8(STREAMING), chunk(first), chunk(rest));
        for (int piece : new int[] {1, 3, 50, bytes.length}) {
            Heard each = new Heard();
            read(new SseProtocol().reader(7, "", each), bytes, piece);
            assertThat(each.numbers).as("pieces of %d", piece).containsExactly(1, 2);
            assertThat(each.ids).containsExactly(new BenchEvent(1).marker(), "idle", new BenchEvent(2).marker());
        }
    }

    private static byte[] chunk(byte[] data) {
        return joined(utf8(Integer.toHexString(data.length) + "\r\n"), data, utf8("\r\n"));
    }

    @Test
    void aResyncOrARefusalFailsTheRun() {
        ClientProtocol.Reader sse = new SseProtocol().reader(1, "", heard);
        byte[] resync = joined(utf8(STREAMING), chunk(utf8("event: resync\ndata: {}\n\n")));
        assertThatThrownBy(() -> read(sse, resync, resync.length)).hasMessageContaining("resync");
        ClientProtocol.Reader refused = new SseProtocol().reader(1, "", heard);
        byte[] busy = utf8("HTTP/1.1 503 Service Unavailable\r\n\r\n");
        assertThatThrownBy(() -> read(refused, busy, busy.length)).hasMessageContaining("503");
    }

    @Test
    void theNumberOfAnEventIsInItsMarkerAndItsMessage() {
        byte[] message = message(4711, "");
        assertThat(BenchEvent.numberIn(message, 0, message.length)).isEqualTo(4711);
        assertThat(BenchEvent.numberOf(new BenchEvent(4711).marker())).isEqualTo(4711);
        assertThat(BenchEvent.numberIn(utf8("{\"id\":\"1\"}"), 0, 10)).isZero();
    }

    @Test
    void missingAndRepeatedEventsFailTheRun() {
        CrowdCounts missing = new CrowdCounts(2);
        missing.received(0, 2, 0);
        assertThatThrownBy(missing::verify).hasMessage("clients missed 1 events and got 0 twice");
        CrowdCounts repeated = new CrowdCounts(2);
        repeated.received(0, 1, 0);
        repeated.received(0, 1, 1);
        assertThatThrownBy(repeated::verify).hasMessage("clients missed 0 events and got 1 twice");
        assertThat(repeated.receivedEvents()).isEqualTo(1);
    }

    @Test
    void aClientHasFinishedAtTheExpectedEvent() {
        CrowdCounts counts = new CrowdCounts(2);
        counts.expect(2);
        long start = System.nanoTime();
        counts.received(0, 1, 0);
        counts.received(0, 2, 1);
        counts.received(1, 1, 0);
        assertThat(counts.finishedClients()).isEqualTo(1);
        counts.received(1, 2, 1);
        assertThat(counts.finishedClients()).isEqualTo(2);
        assertThat(counts.finishedWithin(0.5, start)).isBetween(0.0, counts.finishedWithin(1, start));
        counts.verify();
    }
}

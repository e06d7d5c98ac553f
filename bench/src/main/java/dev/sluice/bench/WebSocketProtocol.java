package dev.sluice.bench;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * WebSocket: the handshake, one {@code subscribe} message, then a frame per event; pings are answered.
 *
 * @param resumes whether {@code lastEventId} is sent, which asks for version 1 of the protocol, and {@code progress} kept
 */
record WebSocketProtocol(boolean resumes) implements ClientProtocol {
    private static final int TEXT = 1;
    private static final int CLOSE = 8;
    private static final int PING = 9;
    private static final int PONG = 10;
    private static final byte[] NOTHING = {};

    @Override
    public String name() {
        return "WebSocket";
    }

    @Override
    public byte[] request(int client, String lastId) {
        return ("GET /v1/subscribe HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public Reader reader(int client, String lastId, Events events) {
        return new FrameReader(subscribe(client, lastId), events);
    }

    private byte[] subscribe(int client, String lastId) {
        String resume = resumes ? ",\"lastEventId\":\"" + lastId + "\"" : "";
        String json =
                "{\"op\":\"subscribe\",\"id\":\"%d\",\"tenant\":\"acme\",\"collection\":\"orders\",\"filter\":{\"user\":%d}%s}"
                        .formatted(client, client, resume);
        return frame(TEXT, json.getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns a frame of a client: masked, here by a key of zeros. */
    static byte[] frame(int opcode, byte[] payload) {
        ByteBuffer frame = ByteBuffer.allocate(payload.length + 8);
        frame.put((byte) (0x80 | opcode));
        if (payload.length < 126) {
            frame.put((byte) (0x80 | payload.length));
        } else {
            frame.put((byte) (0x80 | 126)).putShort((short) payload.length);
        }
        frame.putInt(0).put(payload);
        byte[] bytes = new byte[frame.position()];
        frame.flip().get(bytes);
        return bytes;
    }

    private final class FrameReader implements Reader {
        private final HttpHead head = new HttpHead("101");
        private final byte[] subscribe;
        private final Events events;

        /** The beginning of a frame whose end has not arrived. */
        private byte[] rest = NOTHING;

        private byte[] answer = NOTHING;

        FrameReader(byte[] subscribe, Events events) {
            this.subscribe = subscribe;
            this.events = events;
        }

        @Override
        public byte[] read(byte[] bytes, int length) {
            answer = NOTHING;
            int from = 0;
            if (!head.isComplete()) {
                from = head.read(bytes, length);
                if (!head.isComplete()) {
                    return NOTHING;
                }
                answer = subscribe;
                events.opened();
            }
            frames(bytes, from, length);
            return answer;
        }

        private void frames(byte[] bytes, int from, int end) {
            byte[] all = bytes;
            int at = from;
            int limit = end;
            if (rest.length > 0) {
                all = joined(rest, bytes, from, end);
                at = 0;
                limit = all.length;
            }
            for (int next = frame(all, at, limit); next >= 0; next = frame(all, at, limit)) {
                at = next;
            }
            rest = joined(NOTHING, all, at, limit);
        }

        /** Handles the frame at this place. Returns where the next one begins; -1: it is not complete. */
        private int frame(byte[] bytes, int at, int end) {
            if (end - at < 2) {
                return -1;
            }
            int length = bytes[at + 1] & 0x7F;
            int payload = at + (length == 126 ? 4 : length == 127 ? 10 : 2);
            if (payload > end) {
                return -1;
            }
            if (length >= 126) {
                length = (int) number(bytes, at + 2, payload);
            }
            if (payload + length > end) {
                return -1;
            }
            handle(bytes[at] & 0x0F, bytes, payload, length);
            return payload + length;
        }

        private void handle(int opcode, byte[] bytes, int from, int length) {
            if (opcode == TEXT) {
                message(bytes, from, length);
            } else if (opcode == PING) {
                byte[] data = joined(NOTHING, bytes, from, from + length);
                byte[] pong = WebSocketProtocol.frame(PONG, data);
                answer = joined(answer, pong, 0, pong.length);
            } else if (opcode == CLOSE) {
                throw new IllegalStateException(
                        "closed by the server: " + new String(bytes, from, length, StandardCharsets.UTF_8));
            }
        }

        /** A server that is too busy to subscribe says so: the client asks again, as an end user's client does. */
        private void control(String text) {
            if (text.contains("\"resync\"")) {
                throw new IllegalStateException("the server answers " + text);
            }
            if (text.contains("\"error\"")) {
                events.refused();
                answer = joined(answer, subscribe, 0, subscribe.length);
            }
        }

        private void message(byte[] bytes, int from, int length) {
            int number = BenchEvent.numberIn(bytes, from, length);
            if (number > 0) {
                events.event(number);
                if (resumes) {
                    events.lastId(progress(new String(bytes, from, length, StandardCharsets.UTF_8)));
                }
            } else {
                control(new String(bytes, from, length, StandardCharsets.UTF_8));
            }
        }
    }

    private static String progress(String message) {
        String name = "\"progress\":\"";
        int start = message.lastIndexOf(name) + name.length();
        return start < name.length() ? "" : message.substring(start, message.indexOf('"', start));
    }

    private static long number(byte[] bytes, int from, int to) {
        long value = 0;
        for (int k = from; k < to; k++) {
            value = (value << 8) | (bytes[k] & 0xFF);
        }
        return value;
    }

    private static byte[] joined(byte[] before, byte[] bytes, int from, int end) {
        if (before.length == 0 && from == end) {
            return NOTHING;
        }
        byte[] all = new byte[before.length + end - from];
        System.arraycopy(before, 0, all, 0, before.length);
        System.arraycopy(bytes, from, all, before.length, end - from);
        return all;
    }
}

package dev.sluice.bench;

import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Server-sent events over HTTP/1.1 in chunks; {@code Last-Event-ID} resumes. */
record SseProtocol() implements ClientProtocol {
    private static final byte[] NOTHING = {};

    @Override
    public String name() {
        return "SSE";
    }

    @Override
    public boolean resumes() {
        return true;
    }

    @Override
    public byte[] request(int client, String lastId) {
        String filter = URLEncoder.encode("{\"user\":" + client + "}", StandardCharsets.UTF_8);
        String resume = lastId.isEmpty() ? "" : "Last-Event-ID: " + lastId + "\r\n";
        return ("GET /v1/events?tenant=acme&collection=orders&filter=" + filter + " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                        + "Accept: text/event-stream\r\n" + resume + "\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public Reader reader(int client, String lastId, Events events) {
        return new ChunkReader(events);
    }

    /** Takes the chunks apart into lines. A line may begin in one chunk and end in the next. */
    private static final class ChunkReader implements Reader {
        private final HttpHead head = new HttpHead("200");
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();
        private final StringBuilder size = new StringBuilder();
        private final Events events;

        /** Bytes left of the chunk with its line end; 0: the size of the next chunk is being read. */
        private int left;

        private int number;
        private String id = "";

        ChunkReader(Events events) {
            this.events = events;
        }

        @Override
        public byte[] read(byte[] bytes, int length) {
            int at = 0;
            if (!head.isComplete()) {
                at = head.read(bytes, length);
                if (!head.isComplete()) {
                    return NOTHING;
                }
                if (!head.isChunked()) {
                    throw new IllegalStateException("the server does not send chunks");
                }
                events.opened();
            }
            for (; at < length; at++) {
                if (left == 0) {
                    sizeByte(bytes[at]);
                } else {
                    dataByte(bytes[at]);
                }
            }
            return NOTHING;
        }

        private void sizeByte(byte next) {
            if (next != '\n') {
                size.append((char) next);
                return;
            }
            int chunk = Integer.parseInt(size.toString().strip(), 16);
            size.setLength(0);
            if (chunk == 0) {
                throw new IllegalStateException("the server ended the stream");
            }
            left = chunk + 2;
        }

        private void dataByte(byte next) {
            left--;
            if (left < 2) {
                return;
            }
            if (next != '\n') {
                line.write(next);
                return;
            }
            byte[] whole = line.toByteArray();
            line.reset();
            line(whole);
        }

        private void line(byte[] whole) {
            if (whole.length == 0) {
                dispatch();
            } else if (startsWith(whole, "data:")) {
                number = BenchEvent.numberIn(whole, 0, whole.length);
            } else if (startsWith(whole, "id:")) {
                id = new String(whole, 3, whole.length - 3, StandardCharsets.UTF_8).strip();
            } else if (startsWith(whole, "event:")) {
                throw new IllegalStateException("the server sends " + new String(whole, StandardCharsets.UTF_8));
            }
        }

        private void dispatch() {
            if (!id.isEmpty()) {
                events.lastId(id);
            }
            if (number > 0) {
                events.event(number);
            }
            id = "";
            number = 0;
        }

        private static boolean startsWith(byte[] line, String name) {
            boolean same = line.length >= name.length();
            for (int k = 0; same && k < name.length(); k++) {
                same = line[k] == name.charAt(k);
            }
            return same;
        }
    }
}

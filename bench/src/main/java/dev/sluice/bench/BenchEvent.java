package dev.sluice.bench;

import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.ProgressMarker;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The numbered event of the gateway benchmark. Every client gets events 1, 2, 3, … so that a client notices a lost, repeated
 * or reordered event. The number is the second part of the event id.
 */
record BenchEvent(int number) {
    private static final long SECOND = 1_790_000_000L;
    private static final String BACKEND = "bench";
    private static final String TEXT =
            "An order of the gateway benchmark, in a document of about 250 bytes. ".repeat(2);
    private static final byte[] BEFORE_NUMBER = (SECOND + "-").getBytes(StandardCharsets.US_ASCII);

    private EventId id() {
        return new EventId(ClusterTime.of(SECOND, number), 0x5EED_0000L + number);
    }

    /** Returns the progress marker of a client that has this event and those before it. */
    String marker() {
        return new ProgressMarker(Map.of(BACKEND, id())).encode();
    }

    /** Returns the number of the last event that a client with this marker has. */
    static int numberOf(String marker) {
        return ProgressMarker.decode(marker)
                .position(BACKEND)
                .map(id -> Math.toIntExact(id.time().i()))
                .orElse(0);
    }

    /** Returns the event as the Streamer delivers it and as end users get it. */
    String json() {
        return ("{\"id\":\"%s\",\"type\":\"update\",\"tenant\":\"acme\",\"collection\":\"orders\",\"documentId\":\"%d\","
                        + "\"document\":{\"_id\":%d,\"status\":\"shipped\",\"total\":%d.5,\"text\":\"%s\"},"
                        + "\"updateDescription\":null,\"timestamp\":1790000000000,\"lookup\":false}")
                .formatted(id(), number, number, number, TEXT);
    }

    /** Finds the event's number in a message to a client; 0: the message has no event. */
    static int numberIn(byte[] message, int from, int length) {
        int end = from + length - BEFORE_NUMBER.length;
        for (int at = from; at < end; at++) {
            if (startsAt(message, at)) {
                return digits(message, at + BEFORE_NUMBER.length, from + length);
            }
        }
        return 0;
    }

    private static boolean startsAt(byte[] message, int at) {
        for (int k = 0; k < BEFORE_NUMBER.length; k++) {
            if (message[at + k] != BEFORE_NUMBER[k]) {
                return false;
            }
        }
        return true;
    }

    private static int digits(byte[] message, int from, int end) {
        int value = 0;
        for (int at = from; at < end && message[at] >= '0' && message[at] <= '9'; at++) {
            value = value * 10 + message[at] - '0';
        }
        return value;
    }
}

package dev.sluice.gateway.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A message for one client: bytes of its own, and the event between them that it shares with other clients. It is written in
 * pieces, so that a client that does not read costs no copy of a large event.
 *
 * @param event null: there is nothing to share
 */
record ClientMessage(byte[] before, @Nullable EncodedEvent event, byte[] after) {
    static final int LONGEST_PIECE = 16 << 10;
    private static final byte[] NOTHING = {};

    static ClientMessage of(String text) {
        return new ClientMessage(utf8(text), null, NOTHING);
    }

    static ClientMessage around(String before, EncodedEvent event, String after) {
        return new ClientMessage(utf8(before), event, utf8(after));
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The same message with a copy of its event that others hold, too. */
    ClientMessage sharing(EncodedEvent other) {
        return new ClientMessage(before, other, after);
    }

    /** What no other client shares. */
    int ownBytes() {
        return before.length + after.length;
    }

    int bytes() {
        return ownBytes() + (event == null ? 0 : event.json().length);
    }

    /** Takes a message piece by piece; each is text of its own. */
    interface Writer {
        void write(byte[] bytes, int from, int length, boolean last) throws IOException;
    }

    void write(Writer to) throws IOException {
        if (event == null || bytes() <= LONGEST_PIECE) {
            byte[] all = joined();
            to.write(all, 0, all.length, true);
            return;
        }
        to.write(before, 0, before.length, false);
        byte[] json = event.json();
        for (int from = 0; from < json.length; ) {
            int end = endOfPiece(json, from);
            to.write(json, from, end - from, after.length == 0 && end == json.length);
            from = end;
        }
        if (after.length > 0) {
            to.write(after, 0, after.length, true);
        }
    }

    private byte[] joined() {
        byte[] all = new byte[bytes()];
        copyTo(all, 0);
        return all;
    }

    /** Copies the whole message. Returns the place behind it. */
    int copyTo(byte[] to, int at) {
        byte[] json = event == null ? NOTHING : event.json();
        int middle = at + before.length;
        int end = middle + json.length;
        System.arraycopy(before, 0, to, at, before.length);
        System.arraycopy(json, 0, to, middle, json.length);
        System.arraycopy(after, 0, to, end, after.length);
        return end + after.length;
    }

    /** Between two characters. */
    private static int endOfPiece(byte[] json, int from) {
        int end = Math.min(json.length, from + LONGEST_PIECE);
        while (end < json.length && (json[end] & 0xC0) == 0x80) {
            end--;
        }
        return end;
    }
}

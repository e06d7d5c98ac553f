package dev.sluice.gateway.web;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataWriter;
import java.io.IOException;
import java.util.List;

/**
 * Writes messages to a WebSocket as text frames, small ones together in one system call. Goes past Helidon's session, which copies
 * each message four times and writes it alone. Control frames stay the session's. For one thread at a time, and not while the
 * session sends.
 */
final class SocketFrames {
    /** Messages of so many bytes together are written at once; a longer one is written in several frames. */
    static final int MOST_AT_ONCE = ClientMessage.LONGEST_PIECE;

    private static final int LONGEST_HEADER = 10;
    private static final int FINAL = 0x80;
    private static final int TEXT = 1;
    private static final int CONTINUATION = 0;
    private static final int TWO_BYTES = 126;
    private static final int EIGHT_BYTES = 127;

    private final DataWriter out;

    SocketFrames(DataWriter out) {
        this.out = out;
    }

    /** @param messages one, or several with {@link #MOST_AT_ONCE} bytes together at most */
    void write(List<ClientMessage> messages) throws IOException {
        if (messages.size() == 1 && messages.getFirst().bytes() > MOST_AT_ONCE) {
            writePieces(messages.getFirst());
            return;
        }
        int room = 0;
        for (ClientMessage message : messages) {
            room += LONGEST_HEADER + message.bytes();
        }
        byte[] frames = new byte[room];
        int end = 0;
        for (ClientMessage message : messages) {
            end = message.copyTo(frames, header(FINAL | TEXT, message.bytes(), frames, end));
        }
        write(frames, end);
    }

    /** A client that does not read costs a copy of one piece, not of the whole event. */
    private void writePieces(ClientMessage message) throws IOException {
        int[] opcode = {TEXT};
        message.write((bytes, from, length, last) -> {
            byte[] frame = new byte[LONGEST_HEADER + length];
            int start = header(opcode[0] | (last ? FINAL : 0), length, frame, 0);
            System.arraycopy(bytes, from, frame, start, length);
            opcode[0] = CONTINUATION;
            write(frame, start + length);
        });
    }

    /** Returns the place behind the header. Servers do not mask. */
    private static int header(int first, int length, byte[] frames, int at) {
        frames[at] = (byte) first;
        if (length < TWO_BYTES) {
            frames[at + 1] = (byte) length;
            return at + 2;
        }
        boolean fits = length <= 0xFFFF;
        frames[at + 1] = (byte) (fits ? TWO_BYTES : EIGHT_BYTES);
        int place = at + 2;
        for (int shift = fits ? 8 : 56; shift >= 0; shift -= 8) {
            frames[place++] = (byte) ((long) length >>> shift);
        }
        return place;
    }

    private void write(byte[] frames, int end) {
        out.writeNow(BufferData.createReadOnly(frames, 0, end));
    }
}
